import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {isUnprotected, readScriptUrl} from './script-url.ts';

describe('readScriptUrl()', () => {
  const taken = [
    ['https://air.example/back-end/', 'https://air.example/back-end/'],
    ['https://air.example/back-end', 'https://air.example/back-end/'],
    ['http://AIR.example', 'http://air.example/'],
    ['http://localhost:8080/api/smartcars/', 'http://localhost:8080/api/smartcars/'],
    ['https://air.example/a/../back-end.php', 'https://air.example/back-end.php/'],
  ] as const;
  for (const [text, scriptURL] of taken) {
    test(`reads ${text} as ${scriptURL}`, () => assert.deepEqual(readScriptUrl(text), {scriptURL}));
  }

  const refused = [
    ['', 'is not an address such as "https://air.example/back-end/"'],
    ['air.example/back-end/', 'is not an address such as "https://air.example/back-end/"'],
    ['ftp://air.example/', 'does not begin with https:// or http://'],
    ['javascript:alert(1)', 'does not begin with https:// or http://'],
    ['https://ada:secret@air.example/', 'must not contain a user name or a password'],
    ['https://air.example/?page=', 'must not contain "?" or "#"'],
    ['https://air.example/#', 'must not contain "?" or "#"'],
    [`https://air.example/${'a'.repeat(3000)}`, 'is longer than 2048 characters'],
  ] as const;
  for (const [text, problem] of refused) {
    test(`refuses ${text.slice(0, 40)}`, () => assert.deepEqual(readScriptUrl(text), {problem}));
  }
});

describe('isUnprotected()', () => {
  const table = [
    ['http://air.example/', true],
    ['http://localhost.air.example/', true],
    ['https://air.example/', false],
    ['http://localhost:8080/', false],
    ['http://127.0.0.1/', false],
    ['http://[::1]:80/', false],
  ] as const;
  for (const [scriptURL, expected] of table) {
    test(`returns ${expected} for ${scriptURL}`, () => assert.equal(isUnprotected(scriptURL), expected));
  }
});
