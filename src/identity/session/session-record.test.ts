import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {readExpiry} from './session-record.ts';

const NOW_MS = Date.UTC(2026, 2, 1);
const NOW = NOW_MS / 1000;

function jwt(claims: unknown, header: unknown = {alg: 'HS256'}): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.signature`;
}

describe('readExpiry()', () => {
  const table = [
    {name: 'what the pilot says', session: 'opaque', expiry: NOW + 60, expected: NOW_MS + 60_000},
    {name: 'the pilot before the token', session: jwt({exp: NOW + 30}), expiry: NOW + 60, expected: NOW_MS + 60_000},
    {name: 'a token', session: jwt({exp: NOW + 30}), expected: NOW_MS + 30_000},
    {name: 'a token with a fraction', session: jwt({exp: NOW + 0.5}), expected: NOW_MS + 500},
    {name: 'nothing of an opaque session', session: 'abc'},
    {name: 'nothing of three words', session: 'a.b.c'},
    {name: 'nothing of four parts', session: `${jwt({exp: NOW + 30})}.x`},
    {name: 'nothing of a token without an end', session: jwt({sub: 1})},
    {name: 'nothing of an end that is a text', session: jwt({exp: String(NOW + 30)})},
    {name: 'nothing of claims that are null', session: jwt(null)},
    {name: 'nothing of a token without a header', session: jwt({exp: NOW + 30}, 1)},
    {name: 'nothing of an end that is over', session: 'opaque', expiry: NOW - 1},
    {name: 'nothing of milliseconds', session: 'opaque', expiry: NOW_MS + 60_000},
    {name: 'nothing of an end that no date can hold', session: 'opaque', expiry: 1e300},
  ];
  for (const {name, session, expiry, expected} of table) {
    test(`takes ${name}`, () => assert.equal(readExpiry({session, expiry}, NOW_MS), expected));
  }
});
