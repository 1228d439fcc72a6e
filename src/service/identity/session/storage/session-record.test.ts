import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {encodeJsonText} from '../../../../core/json/json-text.ts';
import {withPilot} from './session-file.ts';

const NOW_MS = Date.UTC(2026, 2, 1);
const NOW = NOW_MS / 1000;

const GIVEN = {scriptURL: 'https://va.example/api/', backEnd: {apiVersion: '1.0.3'}, sinceMs: NOW_MS};
const PILOT = {json: encodeJsonText('{}'), summary: 'Ada Quill (CRW0042)'};

function jwt(claims: unknown, header: unknown = {alg: 'HS256'}): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.signature`;
}

describe('the end of a session that was just received', () => {
  const table = [
    {name: 'the expiry of the pilot', session: 'opaque', expiry: NOW + 60, expected: NOW_MS + 60_000},
    {
      name: 'the expiry of the pilot rather than that of the token',
      session: jwt({exp: NOW + 30}),
      expiry: NOW + 60,
      expected: NOW_MS + 60_000,
    },
    {name: 'the expiry of a token', session: jwt({exp: NOW + 30}), expected: NOW_MS + 30_000},
    {name: 'the expiry of a token with a fraction', session: jwt({exp: NOW + 0.5}), expected: NOW_MS + 500},
    {name: 'nothing from an opaque session', session: 'abc'},
    {name: 'nothing from three parts that are not JSON', session: 'a.b.c'},
    {name: 'nothing from four parts', session: `${jwt({exp: NOW + 30})}.x`},
    {name: 'nothing from a token without an expiry', session: jwt({sub: 1})},
    {name: 'nothing from an expiry that is a string', session: jwt({exp: String(NOW + 30)})},
    {name: 'nothing from claims that are null', session: jwt(null)},
    {name: 'nothing from a token without a header', session: jwt({exp: NOW + 30}, 1)},
    {name: 'nothing from an expiry in the past', session: 'opaque', expiry: NOW - 1},
    {name: 'nothing from an expiry in milliseconds', session: 'opaque', expiry: NOW_MS + 60_000},
    {name: 'nothing from an expiry that no date can represent', session: 'opaque', expiry: 1e300},
  ];
  for (const {name, session, expiry, expected} of table) {
    test(`reads ${name}`, () =>
      assert.equal(withPilot(GIVEN, {...PILOT, session, expiry}, NOW_MS).expiresAtMs, expected));
  }
});
