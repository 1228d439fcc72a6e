import {describe, expect, test} from 'vitest';
import type {PluginGrants} from '../../domain/access/access-grants.ts';
import {GRANTED_PLUGINS_MAX, GRANTS_MAX, GrantRegister} from './grant-register.ts';

function make(grants: readonly PluginGrants[] = []) {
  const saved: (readonly PluginGrants[])[] = [];
  const register = new GrantRegister({grants, save: async kept => void saved.push(kept)});
  return {register, saved};
}

const failing = (code: string) => expect.objectContaining({failure: expect.objectContaining({code})});

describe('GrantRegister', () => {
  test('adds permissions to those that a plugin has, each once, and keeps them before it confirms', async () => {
    const {register, saved} = make([{plugin: 'com.b', permissions: ['identity:read']}]);
    await register.grant({plugin: 'com.a', permissions: ['identity:secrets', 'identity:secrets']});
    await register.grant({plugin: 'com.b', permissions: ['entries:read:shop/', 'identity:read']});
    const grants = [
      {plugin: 'com.a', permissions: ['identity:secrets']},
      {plugin: 'com.b', permissions: ['identity:read', 'entries:read:shop/']},
    ];
    expect([register.list(), saved.at(-1), register.of('com.a')]).toEqual([grants, grants, ['identity:secrets']]);
  });

  test('gives nothing to a plugin whose id only looks alike', async () => {
    const {register} = make([{plugin: 'com.a', permissions: ['admin']}]);
    for (const other of ['com.ab', 'com', 'COM.A', 'com.a.', 'com.a/', '__proto__', 'constructor'])
      expect(register.of(other), other).toEqual([]);
  });

  test('takes back one permission, or all, and calls listeners of that plugin once', async () => {
    const permissions = ['identity:secrets', 'session:manage'] as const;
    const {register} = make(['com.a', 'com.b'].map(plugin => ({plugin, permissions})));
    const ended: string[] = [];
    for (const plugin of ['com.a', 'com.b']) register.onRevoked(plugin, permissions, () => ended.push(plugin));
    register.onRevoked('com.a', permissions, () => ended.push('removed'))();
    await register.revoke('com.a', 'session:manage');
    expect([register.of('com.a'), ended]).toEqual([['identity:secrets'], ['com.a']]);
    await register.revoke('com.a');
    expect([register.list(), ended]).toEqual([[{plugin: 'com.b', permissions}], ['com.a']]);
  });

  test('changes nothing that could not be kept', async () => {
    const register = new GrantRegister({
      grants: [{plugin: 'com.a', permissions: ['admin']}],
      save: async () => {
        throw new Error('the disk is full');
      },
    });
    await expect(register.grant({plugin: 'com.b', permissions: ['admin']})).rejects.toThrow('the disk is full');
    await expect(register.revoke('com.a')).rejects.toThrow('the disk is full');
    expect(register.list()).toEqual([{plugin: 'com.a', permissions: ['admin']}]);
  });

  for (const [plugin, permission] of [
    ['com.b', undefined],
    ['com.a', 'session:manage'],
    ['com.a', 'entries:read:b'],
    ['com.ab', 'admin'],
  ] as const)
    test(`has nothing to take back from ${plugin}: ${permission ?? 'all'}`, async () => {
      const {register} = make([{plugin: 'com.a', permissions: ['admin', 'entries:read:b/']}]);
      await expect(register.revoke(plugin, permission)).rejects.toEqual(failing('no-grant'));
    });

  const many = Array.from({length: GRANTS_MAX + 1}, (_, index) => `entries:read:${index}/`);
  const refused: readonly {readonly name: string; readonly plugin: string; readonly permissions: readonly string[]}[] =
    [
      {name: 'an empty id', plugin: '', permissions: ['admin']},
      {name: 'a pattern in place of an id', plugin: '*', permissions: ['admin']},
      {name: 'a path in place of an id', plugin: '../com.a', permissions: ['admin']},
      {name: 'a very long id', plugin: `a${'b'.repeat(253)}`, permissions: ['admin']},
      {name: 'no permission', plugin: 'com.a', permissions: []},
      {name: 'an unknown permission', plugin: 'com.a', permissions: ['root']},
      {name: 'an action that no owner gives', plugin: 'com.a', permissions: ['access:change']},
      {name: 'half a prefix', plugin: 'com.a', permissions: ['entries:read:com.b']},
      {name: 'too many permissions', plugin: 'com.a', permissions: many},
    ];
  for (const {name, plugin, permissions} of refused)
    test(`refuses ${name}`, async () => {
      const {register, saved} = make();
      await expect(register.grant({plugin, permissions})).rejects.toEqual(failing('invalid-grant-request'));
      expect([register.list(), saved]).toEqual([[], []]);
    });

  test('refuses more permissions and plugins than there may be, also in parts', async () => {
    const {register} = make();
    await register.grant({plugin: 'com.a', permissions: many.slice(0, GRANTS_MAX)});
    const more = register.grant({plugin: 'com.a', permissions: many.slice(GRANTS_MAX)});
    await expect(more).rejects.toEqual(failing('invalid-grant-request'));
    const full = Array.from({length: GRANTED_PLUGINS_MAX}, (_, index) => `com.p${index}`);
    const {register: filled} = make(full.map(plugin => ({plugin, permissions: ['admin']})));
    await expect(filled.grant({plugin: 'com.q', permissions: ['admin']})).rejects.toEqual(
      failing('invalid-grant-request'),
    );
    await filled.grant({plugin: 'com.p0', permissions: ['identity:read']});
  });
});
