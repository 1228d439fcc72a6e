import {describe, expect, test} from 'vitest';
import {ANY_CALLER} from '../../core/domain/access/access.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import {createAccess} from './admit.ts';
import {GrantRegister} from './grants/grant-register.ts';
import {FileOwner} from './owner.ts';
import {BackgroundRegister} from './token-hash.ts';
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
    for (const wrong of [[''], [`${token}a`], [token.slice(1)]])
      expect(() => admit(...wrong)).toThrow('no background of a plugin that runs has this token');
    const failure = {code: 'invalid-token', problem: 'the request has more than one token of a background'};
    expect(() => admit(token, token)).toThrow(expect.objectContaining({failure}));
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

describe('createAccess() and the Authorization of a request', () => {
  const FORM = 'it is not "crewroom_" and 43 letters, digits, dashes or underscores';
  const SECRET = 'a'.repeat(43);
  const refused: readonly {readonly authorizations: readonly string[]; readonly problem: string}[] = [
    ...['Bearer', 'bearer ', 'Bearer   '].map(each => ({authorizations: [each], problem: 'nothing follows "Bearer"'})),
    {authorizations: ['Basic x', 'Bearer'], problem: 'nothing follows "Bearer"'},
    ...[
      [`Bearer crewroom_${SECRET}`, 'Basic x'],
      ['Basic x', `Bearer crewroom_${SECRET}`],
    ].map(authorizations => ({authorizations, problem: 'the request has more than one Authorization header'})),
    ...[
      `crewroom_${SECRET}`,
      `Bearer crewroom_${SECRET}a`,
      `Bearer crewroom_${SECRET.slice(1)}`,
      'Token crewroom_',
    ].map(each => ({authorizations: [each], problem: FORM})),
    {authorizations: [`x Bearer crewroom_${SECRET}`], problem: FORM},
    {authorizations: [`Bearer crewroom_${SECRET}`], problem: 'this service has no such token, or it was revoked'},
  ];
  for (const {authorizations, problem} of refused)
    test(`refuses ${JSON.stringify(authorizations)}`, () => {
      const failure = {code: 'invalid-token', problem};
      expect(() => access.admit({authorizations, backgroundTokens: [], plugin: 'com.a'})).toThrow(
        expect.objectContaining({failure}),
      );
    });

  for (const scheme of ['Bearer ', 'bearer    ', 'BEARER  '])
    test(`knows the token after ${JSON.stringify(scheme)}`, () => {
      expect(access.admit({authorizations: [`${scheme}${ownerToken}`], backgroundTokens: []}).principal).toBe('owner');
    });

  for (const ignored of ['Bearer x', 'BearerX', 'x Bearer', 'Bearerx ', 'Basic eA==', ''])
    test(`ignores ${JSON.stringify(ignored)}, which is of others`, () => {
      expect(access.admit({authorizations: [ignored], backgroundTokens: [], plugin: 'com.a'}).principal).toBe(
        'plugin:com.a',
      );
    });
});

test('createAccess() with the mode "open" permits all to everyone, whatever a plugin was granted', async () => {
  const own = new GrantRegister({grants: [{plugin: 'com.a', permissions: ['admin']}], save: async () => {}});
  const {admit} = createAccess({mode: 'open', owner, tokens, backgrounds, grants: own});
  const program = admit({authorizations: [], backgroundTokens: []});
  expect(program).toBe(ANY_CALLER);
  const plugin = admit({authorizations: [], backgroundTokens: [], plugin: 'com.a'});
  expect([plugin.may('entries:read:com.b/x'), plugin.isLasting]).toEqual([true, true]);
});

test('createAccess() permits what a plugin was granted, until that is taken back', async () => {
  const own = new GrantRegister({grants: [], save: async () => {}});
  const {admit} = createAccess({mode: 'attributed', owner, tokens, backgrounds, grants: own});
  const credentials = {authorizations: [], backgroundTokens: [], plugin: 'com.a'};
  const without = admit(credentials);
  await own.grant({plugin: 'com.a', permissions: ['entries:read:com.b/']});
  const granted = admit(credentials);
  const shown = (): readonly unknown[] => [without, granted].map(each => each.may('entries:read:com.b/x'));
  expect([without.isLasting, granted.isLasting, ...shown()]).toEqual([true, false, false, true]);
  await own.revoke('com.a');
  expect(shown()).toEqual([false, false]);
});

test('createAccess() tells a page of the owner once when its token ends, unless its request ended before', () => {
  const page = owner.exchangeCode(owner.createCode(ownerToken).code);
  const [caller, lasting] = [page, ownerToken].map(token =>
    access.admit({authorizations: [`Bearer ${token}`], backgroundTokens: []}),
  );
  const told: string[] = [];
  caller?.onEnd(() => told.push('page'));
  caller?.onEnd(() => told.push('ended before'))();
  expect([caller?.principal, caller?.isLasting, lasting?.isLasting, told]).toEqual(['owner', false, true, []]);
  owner.endPages(page);
  expect(told).toEqual(['page']);
});
