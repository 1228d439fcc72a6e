import {describe, expect, test} from 'vitest';
import type {Permission, PluginGrants} from '../../../core/domain/access/access.ts';
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

  test('calls a listener at once if a permission that it had was taken back before it came', async () => {
    const {register} = make([{plugin: 'com.a', permissions: ['identity:read', 'session:manage']}]);
    await register.revoke('com.a', 'session:manage');
    const called: string[] = [];
    const listen = (name: string, ...had: readonly Permission[]): (() => void) =>
      register.onRevoked('com.a', had, () => called.push(name));
    listen('lost one of two', 'identity:read', 'session:manage')();
    listen('lost nothing', 'identity:read');
    expect(called).toEqual(['lost one of two']);
    await register.revoke('com.a');
    expect(called).toEqual(['lost one of two', 'lost nothing']);
  });

  test('calls each listener that is left, also if others were removed before or after', async () => {
    const {register} = make([{plugin: 'com.a', permissions: ['identity:read', 'session:manage']}]);
    const called: string[] = [];
    const listen = (name: string): (() => void) => register.onRevoked('com.a', [], () => called.push(name));
    const [removeFirst, removeLate] = [listen('first'), listen('late')];
    removeFirst();
    removeFirst();
    const removeSecond = listen('second');
    await register.revoke('com.a', 'identity:read');
    expect(called).toEqual(['late', 'second']);
    listen('third');
    removeLate();
    removeSecond();
    await register.revoke('com.a');
    expect(called).toEqual(['late', 'second', 'third']);
  });

  test('makes each change after the one before, also if that failed', async () => {
    const saved: string[] = [];
    const register = new GrantRegister({
      grants: [],
      save: async kept => {
        await Promise.resolve();
        const text = kept.map(({plugin}) => plugin).join();
        saved.push(text);
        if (text === 'com.b') throw new Error('the disk is full');
      },
    });
    const changes = [
      register.grant({plugin: 'com.b', permissions: ['admin']}),
      register.grant({plugin: 'com.c', permissions: ['admin']}),
      register.grant({plugin: 'com.a', permissions: ['admin']}),
      register.revoke('com.c', 'admin'),
    ];
    expect((await Promise.allSettled(changes)).map(({status}) => status)).toEqual([
      'rejected',
      ...['fulfilled', 'fulfilled', 'fulfilled'],
    ]);
    expect(saved).toEqual(['com.b', 'com.c', 'com.a,com.c', 'com.a']);
    expect(register.list()).toEqual([{plugin: 'com.a', permissions: ['admin']}]);
  });

  test('lists the plugins by their ids, whatever the order in which they got permissions', async () => {
    const {register, saved} = make([{plugin: 'com.c', permissions: ['admin']}]);
    for (const plugin of ['com.a', 'com.d', 'com.b']) await register.grant({plugin, permissions: ['admin']});
    const ids = ['com.a', 'com.b', 'com.c', 'com.d'];
    expect([register.list(), saved.at(-1)].map(list => list?.map(({plugin}) => plugin))).toEqual([ids, ids]);
  });

  test('shows the beginning of a long name that has nothing to take back', async () => {
    const {register} = make();
    const failures = [register.revoke('a'.repeat(65), `${'b'.repeat(63)}\u{1F600}`), register.revoke('a'.repeat(64))];
    expect(await Promise.allSettled(failures)).toMatchObject([
      {reason: {failure: {code: 'no-grant', plugin: 'a'.repeat(64), permission: `${'b'.repeat(63)}\u{FFFD}`}}},
      {reason: {failure: {code: 'no-grant', plugin: 'a'.repeat(64)}}},
    ]);
    await expect(register.revoke('com.a')).rejects.toHaveProperty('failure', {code: 'no-grant', plugin: 'com.a'});
  });

  const many = Array.from({length: GRANTS_MAX + 1}, (_, index) => `entries:read:${index}/`);
  const all = '$.permissions';
  const refused = [
    {name: 'an empty id', plugin: '', paths: ['$.plugin']},
    {name: 'a pattern in place of an id', plugin: '*', paths: ['$.plugin']},
    {name: 'a path in place of an id', plugin: '../com.a', paths: ['$.plugin']},
    {name: 'a very long id', plugin: `a${'b'.repeat(253)}`, paths: ['$.plugin']},
    {name: 'no permission', permissions: [], paths: [all]},
    {name: 'an unknown permission', permissions: ['root'], paths: [`${all}[0]`]},
    {name: 'an action that no owner gives', permissions: ['access:change'], paths: [`${all}[0]`]},
    {name: 'half a prefix', permissions: ['admin', 'entries:read:com.b'], paths: [`${all}[1]`]},
    {name: 'too many permissions', permissions: many, paths: [all]},
    {name: 'too many equal ones', permissions: many.map(() => 'admin'), paths: [all]},
    {
      name: 'all that is wrong at once',
      ...{plugin: '*', permissions: ['root', 'admin', 'toor'], paths: ['$.plugin', `${all}[0]`, `${all}[2]`]},
    },
    {
      name: 'many wrong ones, of which it names as many as there may be',
      permissions: many.map(() => 'root'),
      paths: [...many.slice(1).map((_, index) => `${all}[${index}]`), all],
    },
  ];
  for (const {name, plugin = 'com.a', permissions = ['admin'], paths} of refused)
    test(`refuses ${name}`, async () => {
      const {register, saved} = make();
      const problems = paths.map(path => ({path, problem: expect.stringMatching(/./)}));
      await expect(register.grant({plugin, permissions})).rejects.toHaveProperty('failure', {
        ...{code: 'invalid-body', what: 'grant', problems},
      });
      expect([register.list(), saved]).toEqual([[], []]);
    });

  test('refuses more permissions and plugins than there may be, also in parts', async () => {
    const {register} = make();
    await register.grant({plugin: 'com.a', permissions: many.slice(0, GRANTS_MAX)});
    const more = register.grant({plugin: 'com.a', permissions: many.slice(GRANTS_MAX)});
    await expect(more).rejects.toEqual(failing('invalid-body'));
    await expect(register.grant({plugin: 'com.a', permissions: ['root']})).rejects.toMatchObject({
      failure: {problems: [{path: '$.permissions[0]'}]},
    });
    const full = Array.from({length: GRANTED_PLUGINS_MAX}, (_, index) => `com.p${index}`);
    const {register: filled} = make(full.map(plugin => ({plugin, permissions: ['admin']})));
    await expect(filled.grant({plugin: 'com.q', permissions: ['admin']})).rejects.toHaveProperty('failure', {
      code: 'invalid-body',
      what: 'grant',
      problems: [{path: '$.plugin', problem: `would be one more than ${GRANTED_PLUGINS_MAX} plugins`}],
    });
    await filled.grant({plugin: 'com.p0', permissions: ['identity:read']});
    await filled.revoke('com.p0');
    await filled.grant({plugin: 'com.q', permissions: ['admin']});
    expect(filled.list().length).toBe(GRANTED_PLUGINS_MAX);
  });
});
