import {randomBytes} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import {createOwnerAccess, type OwnerAccess} from './owner-access.ts';

function open(host = 'localhost'): {readonly owner: OwnerAccess; readonly wait: (seconds: number) => void} {
  let nowMs = 1000;
  const owner = createOwnerAccess({host, elapsedMs: () => nowMs, randomBytes});
  return {
    owner,
    wait: seconds => {
      nowMs += seconds * 1000;
    },
  };
}

const REFUSED = expect.objectContaining({failure: {code: 'owner-required'}});
const INVALID = expect.objectContaining({failure: {code: 'invalid-code'}});

describe('createOwnerAccess()', () => {
  test('creates another token for each service, which cannot be guessed', () => {
    const [one, other] = [open().owner.token, open().owner.token];
    expect(one).toMatch(/^crewroom_[A-Za-z0-9_-]{43}$/);
    expect(one).not.toBe(other);
  });

  test('exchanges a code for a token of the owner', () => {
    const {owner} = open();
    const {code, expiresInSeconds} = owner.createCode(owner.token);
    expect([code.length, expiresInSeconds]).toEqual([43, 60]);
    const token = owner.exchangeCode(code);
    expect(owner.isOwner(token)).toBe(true);
    expect(token).not.toBe(owner.token);
  });

  for (const host of ['127.0.0.1', '::1'])
    test(`creates no code while another program could listen beside ${host}`, () => {
      const {owner} = open(host);
      const refused = expect.objectContaining({failure: {code: 'code-unavailable', host}});
      expect(() => owner.createCode(owner.token)).toThrow(refused);
      expect(() => owner.createCode('wrong')).toThrow(REFUSED);
    });

  test('creates codes for the name of both addresses in any case', () => {
    const {owner} = open('LocalHost');
    expect(owner.createCode(owner.token).expiresInSeconds).toBe(60);
  });

  test('knows its own tokens only', () => {
    const {owner} = open();
    const page = owner.exchangeCode(owner.createCode(owner.token).code);
    for (const wrong of [
      ...[undefined, '', 'crewroom_', open().owner.token, `${owner.token}a`, owner.token.slice(0, -1)],
      ...[owner.token.toUpperCase(), page.slice(1), owner.createCode(page).code],
    ]) {
      expect(owner.isOwner(wrong), String(wrong)).toBe(false);
      expect(() => owner.createCode(wrong)).toThrow(REFUSED);
    }
  });

  test('exchanges a code once', () => {
    const {owner} = open();
    const {code} = owner.createCode(owner.token);
    owner.exchangeCode(code);
    expect(() => owner.exchangeCode(code)).toThrow(INVALID);
  });

  test('exchanges a code within a minute', () => {
    const {owner, wait} = open();
    const [early, late] = [owner.createCode(owner.token).code, owner.createCode(owner.token).code];
    wait(59.999);
    expect(owner.isOwner(owner.exchangeCode(early))).toBe(true);
    wait(0.001);
    expect(() => owner.exchangeCode(late)).toThrow(INVALID);
  });

  test('exchanges no guessed code, and a guess uses up no code', () => {
    const {owner} = open();
    const {code} = owner.createCode(owner.token);
    for (const guess of ['', code.slice(1), `${code}a`, code.toLowerCase(), owner.token])
      expect(() => owner.exchangeCode(guess)).toThrow(INVALID);
    expect(owner.isOwner(owner.exchangeCode(code))).toBe(true);
  });

  test('keeps the last eight codes, and the tokens of the last 64 pages', () => {
    const {owner} = open();
    const codes = Array.from({length: 9}, () => owner.createCode(owner.token).code);
    expect(() => owner.exchangeCode(codes[0] ?? '')).toThrow(INVALID);
    const first = owner.exchangeCode(codes[1] ?? '');
    for (let page = 0; page < 63; page++) owner.exchangeCode(owner.createCode(owner.token).code);
    expect(owner.isOwner(first)).toBe(true);
    owner.exchangeCode(owner.createCode(owner.token).code);
    expect([owner.isOwner(first), owner.isOwner(owner.token)]).toEqual([false, true]);
  });
});
