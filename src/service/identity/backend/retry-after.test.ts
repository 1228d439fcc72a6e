import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {readRetryAfterSeconds} from './answer-text.ts';

describe('readRetryAfterSeconds()', () => {
  const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
  for (const {name, headers, seconds} of [
    {name: 'seconds', headers: {'Retry-After': '30'}, seconds: 30},
    {
      name: 'a date, by the clock of the server',
      headers: {Date: date, 'Retry-After': 'Sun, 01 Mar 2026 12:01:30 GMT'},
      seconds: 90,
    },
    {name: 'a date in the past', headers: {Date: date, 'Retry-After': 'Sun, 01 Mar 2026 11:00:00 GMT'}, seconds: 0},
    {name: 'a date without a clock', headers: {'Retry-After': date}, seconds: undefined},
    {name: 'a year, limited to a day', headers: {'Retry-After': '31536000'}, seconds: 86_400},
    {name: 'a negative number', headers: {'Retry-After': '-1'}, seconds: undefined},
    {name: 'a word', headers: {'Retry-After': 'soon'}, seconds: undefined},
    {name: 'nothing', headers: {}, seconds: undefined},
  ] as readonly {name: string; headers: Record<string, string>; seconds: number | undefined}[]) {
    test(`reads ${name} as ${seconds ?? 'no delay'}`, () => {
      assert.equal(readRetryAfterSeconds(new Headers(headers)), seconds);
    });
  }
});
