import {randomBytes} from 'node:crypto';
import {describe, expect, test} from 'vitest';
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
    expect(register.list()).toEqual([{name: 'a', permissions: ['admin'], createdAtMs: 1000}]);
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
    await expect(register.create({name: 'more', ...ADMIN})).rejects.toThrow('64 tokens');
  });

  test('ends at once what begins after its token was revoked', async () => {
    const {register} = open();
    const caller = register.admit(await register.create({name: 'a', ...ADMIN}));
    await register.revoke('a');
    let ends = 0;
    caller.onEnd(() => ends++);
    expect(ends).toBe(1);
  });
});
