import {describe, expect, test} from 'vitest';
import {SILENT_LOG} from '../domain/log.ts';
import {createAccess} from './admit.ts';
import {BackgroundRegister} from './background-register.ts';
import {GrantRegister} from './grants/grant-register.ts';
import {FileOwner} from './owner.ts';
import {TokenRegister} from './token-register.ts';

const RANDOM = {randomBytes: (sizeBytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(sizeBytes))};
const secrets = [RANDOM.randomBytes(32)];
const ownerToken = `crewroom_${Buffer.from(secrets[0] ?? []).toString('base64url')}`;
const owner = new FileOwner({
  host: 'localhost',
  place: {dataDir: undefined, runtimeDirs: []},
  log: SILENT_LOG,
  elapsedMs: () => 0,
  nowMs: () => 0,
  // The first secret is that of its file.
  randomBytes: sizeBytes => secrets.pop() ?? RANDOM.randomBytes(sizeBytes),
});
const tokens = new TokenRegister({
  tokens: [],
  save: async () => {},
  nowMs: () => 0,
  timers: {after: () => () => {}},
  ...RANDOM,
});
const backgrounds = new BackgroundRegister(RANDOM);
const grants = new GrantRegister({grants: [], save: async () => {}});
const access = createAccess({mode: 'open', owner, tokens, backgrounds, grants});

/** Returns the principal of a request with a token. */
function principalOf(token: string | undefined, plugin?: string): string | undefined {
  return access.admit({authorizations: token === undefined ? [] : [`Bearer ${token}`], backgroundTokens: [], plugin})
    .principal;
}

describe('createAccess() names', () => {
  test('no program without a token', () => expect(principalOf(undefined)).toBeUndefined());

  test('the page of a plugin', () => expect(principalOf(undefined, 'com.a')).toBe('plugin:com.a'));

  test('the background of a plugin until it ends, by a token that is sent once', () => {
    const admit = (...backgroundTokens: readonly string[]) => access.admit({authorizations: [], backgroundTokens});
    const token = backgrounds.create('com.a');
    const other = backgrounds.create('com.a');
    expect([admit(token).principal, admit(other).principal]).toEqual(['plugin:com.a', 'plugin:com.a']);
    for (const wrong of [[token, token], [''], [`${token}a`], [token.slice(1)]])
      expect(() => admit(...wrong)).toThrow(/token/);
    backgrounds.revoke(token);
    expect(() => admit(token)).toThrow('no background of a plugin that runs has this token');
    expect(admit(other).principal).toBe('plugin:com.a');
  });

  test('the owner', () => {
    expect(principalOf(ownerToken)).toBe('owner');
    expect(principalOf(owner.exchangeCode(owner.createCode(ownerToken).code))).toBe('owner');
  });

  test('a program by its token, also in the page of a plugin', async () => {
    const token = await tokens.create({name: 'backup', permissions: ['identity:read']});
    expect([principalOf(token), principalOf(token, 'com.a')]).toEqual(['token:backup', 'token:backup']);
  });
});

test('createAccess() tells a page of the owner at once if its token ended after it was admitted', () => {
  const page = owner.exchangeCode(owner.createCode(ownerToken).code);
  const caller = access.admit({authorizations: [`Bearer ${page}`], backgroundTokens: []});
  owner.endPages(page);
  let ended = 0;
  caller.onEnd(() => ended++);
  expect(ended).toBe(1);
});

describe('createAccess() with the mode "attributed"', () => {
  const attributed = createAccess({mode: 'attributed', owner, tokens, backgrounds, grants});

  test('asks a program for a token with the smallest permission that suffices', () => {
    const program = attributed.admit({authorizations: [], backgroundTokens: []});
    expect(() => program.assertMay('entries:read:com.a/x/y')).toThrow(
      expect.objectContaining({failure: {code: 'token-required', permission: 'entries:read:com.a/x/'}}),
    );
    expect(() => program.assertMay('settings:read:com.a')).toThrow(
      expect.objectContaining({failure: {code: 'token-required', permission: 'plugins:manage'}}),
    );
    expect(program.may('identity:read')).toBe(true);
  });

  test('refuses a plugin by its name, whether its page or its background calls', () => {
    const page = attributed.admit({authorizations: [], backgroundTokens: [], plugin: 'com.a'});
    const background = attributed.admit({authorizations: [], backgroundTokens: [backgrounds.create('com.a')]});
    for (const plugin of [page, background]) {
      expect(plugin.may('entries:write:com.a/x')).toBe(true);
      const failure = {code: 'permission-required', permission: 'entries:read:com.b/', principal: 'plugin:com.a'};
      expect(() => plugin.assertMay('entries:read:com.b/')).toThrow(expect.objectContaining({failure}));
    }
  });

  test('ends at once what a plugin begins after a permission that it had was taken back', async () => {
    const own = new GrantRegister({grants: [], save: async () => {}});
    const {admit} = createAccess({mode: 'attributed', owner, tokens, backgrounds, grants: own});
    await own.grant({plugin: 'com.a', permissions: ['entries:read:com.b/', 'identity:secrets']});
    const before = admit({authorizations: [], backgroundTokens: [], plugin: 'com.a'});
    await own.revoke('com.a', 'entries:read:com.b/');
    const after = admit({authorizations: [], backgroundTokens: [], plugin: 'com.a'});
    const ended: string[] = [];
    before.onEnd(() => ended.push('before'));
    after.onEnd(() => ended.push('after'));
    expect(ended).toEqual(['before']);
    await own.revoke('com.a');
    expect(ended).toEqual(['before', 'after']);
  });
});

test('createAccess() with the mode "strict" trusts a page whose origin has its secret', () => {
  const strict = createAccess({mode: 'strict', owner, tokens, backgrounds, grants});
  const page = strict.admit({authorizations: [], backgroundTokens: [], plugin: 'com.a', isPageProved: true});
  expect([page.principal, page.may('entries:write:com.a/x'), page.may('entries:write:com.ab/x')]).toEqual([
    'plugin:com.a',
    true,
    false,
  ]);
});

test('createAccess() with the mode "strict" trusts no origin', () => {
  const strict = createAccess({mode: 'strict', owner, tokens, backgrounds, grants});
  const background = {authorizations: [], backgroundTokens: [backgrounds.create('com.a')]};
  expect(strict.admit(background).may('entries:read:com.a/x')).toBe(true);
  for (const credentials of [{}, {plugin: 'com.a'}]) {
    const caller = strict.admit({authorizations: [], backgroundTokens: [], ...credentials});
    const failure = {code: 'token-required', permission: 'entries:read:com.a/', ...credentials};
    expect(() => caller.assertMay('entries:read:com.a/x')).toThrow(expect.objectContaining({failure}));
    expect(caller.may('identity:read')).toBe(false);
  }
});
