import {randomBytes} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import type {Action, RequestedToken} from '../../core/domain/access/access.ts';
import {type KeptToken, TokenRegister} from './token-register.ts';

function open() {
  let problem: Error | undefined;
  const saved: (readonly KeptToken[])[] = [];
  const register = new TokenRegister({
    tokens: [],
    save: async tokens => {
      if (problem !== undefined) throw problem;
      saved.push(tokens);
    },
    nowMs: () => 1000,
    timers: {after: () => expect.unreachable('unexpected timer')},
    randomBytes,
  });
  const failWith = (error: Error | undefined): void => {
    problem = error;
  };
  return {register, saved, failWith};
}

const ADMIN = {permissions: ['admin']};

describe('TokenRegister', () => {
  test('keeps the hash of a token, not the token', async () => {
    const {register, saved} = open();
    const token = await register.create({name: 'a', ...ADMIN});
    expect(saved).toEqual([[{name: 'a', permissions: ['admin'], createdAtMs: 1000, hash: expect.any(Uint8Array)}]]);
    expect(Buffer.from(saved[0]?.[0]?.hash ?? []).length).toBe(32);
    expect(JSON.stringify(saved)).not.toContain(token);
    expect(register.list()).toStrictEqual([{name: 'a', permissions: ['admin'], createdAtMs: 1000}]);
    expect(register.admit(token).may('session:manage')).toBe(true);
  });

  test('changes nothing that cannot be kept, and works again afterwards', async () => {
    const {register, failWith} = open();
    const token = await register.create({name: 'a', ...ADMIN});
    failWith(new Error('the disk is full'));
    await expect(register.create({name: 'b', ...ADMIN})).rejects.toThrow('the disk is full');
    await expect(register.revoke('a')).rejects.toThrow('the disk is full');
    expect(register.list().map(({name}) => name)).toEqual(['a']);
    expect(register.admit(token).may('admin')).toBe(true);
    failWith(undefined);
    await register.revoke('a');
    expect(() => register.admit(token)).toThrow('no such token');
  });

  test('has at most 64 tokens', async () => {
    const {register} = open();
    for (let index = 0; index < 64; index++) await register.create({name: `t${index}`, ...ADMIN});
    await expect(register.create({name: 'more', ...ADMIN})).rejects.toHaveProperty('failure', {
      code: 'invalid-body',
      what: 'token',
      problems: [{path: '$', problem: 'would be one more than 64 tokens: revoke another one'}],
    });
  });

  test('ends at once what begins after its token was revoked', async () => {
    const {register} = open();
    const caller = register.admit(await register.create({name: 'a', ...ADMIN}));
    await register.revoke('a');
    let ends = 0;
    caller.onEnd(() => ends++);
    expect(ends).toBe(1);
  });

  test('admits only its tokens', async () => {
    const {register} = open();
    const token = await register.create({name: 'a', permissions: ['entries:read:x/']});
    const caller = register.admit(token);
    expect([caller.principal, caller.isLasting, register.admit(token) === caller]).toEqual(['token:a', false, true]);
    expect(['entries:read:x/y', 'entries:read:', 'identity:read'].map(each => caller.may(each as Action))).toEqual([
      true,
      false,
      false,
    ]);
    expect(() => register.admit(`${token}a`)).toThrow(
      expect.objectContaining({
        failure: {code: 'invalid-token', problem: 'this service has no such token, or it was revoked'},
      }),
    );
    await expect(register.revoke('b'.repeat(100))).rejects.toMatchObject({
      failure: {code: 'no-token', name: 'b'.repeat(64)},
    });
    expect(register.list().length).toBe(1);
  });

  test('keeps its tokens one after the other, in the order of the calls', async () => {
    const {register, saved} = open();
    await Promise.all([
      register.create({name: 'a', ...ADMIN}),
      register.create({name: 'b', ...ADMIN}),
      register.revoke('a'),
    ]);
    expect(saved.map(tokens => tokens.map(({name}) => name).join())).toEqual(['a', 'a,b', 'b']);
  });

  const wrong: readonly {readonly requested: Partial<RequestedToken>; readonly problems: readonly object[]}[] = [
    ...['', '-a', 'a b', 'a'.repeat(65), ' a', 'a\n'].map(name => ({
      requested: {name},
      problems: [
        {
          path: '$.name',
          problem:
            'has to be 1 to 64 letters, digits, dots, dashes or underscores, and to begin with a letter or a digit',
        },
      ],
    })),
    {
      requested: {name: 'taken'},
      problems: [{path: '$.name', problem: 'is the name of another token: revoke that one first'}],
    },
    {
      requested: {name: `crewroom_${'a'.repeat(43)}`},
      problems: [{path: '$.name', problem: 'looks like a token, which is shown nowhere: choose another one'}],
    },
    ...['owner', 'Owner', 'OWNER'].map(name => ({
      requested: {name},
      problems: [{path: '$.name', problem: 'is that of the owner: choose another one'}],
    })),
    {
      requested: {permissions: Array.from({length: 65}, () => 'root')},
      problems: ['$.permissions', ...Array.from({length: 64}, (_, index) => `$.permissions[${index}]`)].map(path =>
        expect.objectContaining({path}),
      ),
    },
    {requested: {expiresAtMs: 1000}, problems: [{path: '$.expiresAt', problem: 'is not in the future'}]},
    {requested: {permissions: []}, problems: [{path: '$.permissions', problem: 'has to be 1 to 64 permissions'}]},
    {
      requested: {permissions: Array.from({length: 65}, () => 'admin')},
      problems: [{path: '$.permissions', problem: 'has to be 1 to 64 permissions'}],
    },
    {
      requested: {name: '', permissions: ['admin', 'entries:read:a']},
      problems: [
        expect.objectContaining({path: '$.name'}),
        {
          path: '$.permissions[1]',
          problem: 'has a prefix that does not end in "/"; without a prefix it is about all entries',
        },
      ],
    },
  ];
  for (const {requested, problems} of wrong)
    test(`refuses ${JSON.stringify(requested).slice(0, 60)}`, async () => {
      const {register} = open();
      await register.create({name: 'taken', ...ADMIN});
      await expect(register.create({name: 'a', ...ADMIN, ...requested})).rejects.toMatchObject({
        failure: {code: 'invalid-body', what: 'token', problems},
      });
      expect(register.list().length).toBe(1);
    });

  test('takes the longest name, and each permission once', async () => {
    const {register} = open();
    const permissions = ['admin', ...Array.from({length: 63}, () => 'identity:read')];
    await register.create({name: `a${'._-'.repeat(21)}`, permissions});
    expect(register.list()).toEqual([
      {name: `a${'._-'.repeat(21)}`, permissions: ['admin', 'identity:read'], createdAtMs: 1000},
    ]);
  });

  test('says of each token when it expires, and admits none from then on, even if the clock is set back', async () => {
    const clock = {nowMs: 1000};
    const {register} = openWith(clock);
    const token = await register.create({name: 'a', ...ADMIN, expiresAtMs: 2000});
    expect(register.list()).toEqual([{name: 'a', permissions: ['admin'], createdAtMs: 1000, expiresAtMs: 2000}]);
    clock.nowMs = 1999;
    expect(register.admit(token).may('admin')).toBe(true);
    clock.nowMs = 2000;
    const failure = {code: 'invalid-token', problem: 'it has expired'};
    expect(() => register.admit(token)).toThrow(expect.objectContaining({failure}));
    clock.nowMs = 1000;
    expect(() => register.admit(token)).toThrow(expect.objectContaining({failure}));
  });

  test('tells requests that are being answered when their token was revoked, and no others', async () => {
    const {register} = open();
    const [one, other] = [
      register.admit(await register.create({name: 'a', ...ADMIN})),
      register.admit(await register.create({name: 'b', ...ADMIN})),
    ];
    const told: string[] = [];
    one?.onEnd(() => told.push('a'));
    one?.onEnd(() => told.push('a again'));
    one?.onEnd(() => told.push('ended before'))();
    other?.onEnd(() => told.push('b'));
    await register.revoke('a');
    expect(told).toEqual(['a', 'a again']);
  });

  test('tells them when it expired, however long that takes a timer', async () => {
    const clock = {nowMs: 0};
    const {register, timers} = openWith(clock);
    const longMs = 2 ** 31 + 1000;
    const caller = register.admit(await register.create({name: 'a', ...ADMIN, expiresAtMs: longMs}));
    const told: string[] = [];
    caller.onEnd(() => told.push('expired'));
    const cancel = caller.onEnd(() => told.push('ended before'));
    expect(timers.map(({delayMs}) => delayMs)).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
    clock.nowMs = 2 ** 31 - 1;
    for (const {run} of timers.splice(0)) run();
    expect(told).toEqual([]);
    expect(timers.map(({delayMs}) => delayMs)).toEqual([1001, 1001]);
    cancel();
    expect(timers.map(({isCancelled}) => isCancelled)).toEqual([false, true]);
    clock.nowMs = longMs;
    timers[0]?.run();
    expect(told).toEqual(['expired']);
  });
});

/** A register with a clock and timers that a test runs. */
function openWith(clock: {nowMs: number}) {
  const timers: {readonly delayMs: number; readonly run: () => void; isCancelled: boolean}[] = [];
  const after = (delayMs: number, run: () => void): (() => void) => {
    const timer = {delayMs, run, isCancelled: false};
    timers.push(timer);
    return () => {
      timer.isCancelled = true;
    };
  };
  const register = new TokenRegister({
    ...{tokens: [], save: async () => {}, nowMs: () => clock.nowMs, timers: {after}, randomBytes},
  });
  return {register, timers};
}
