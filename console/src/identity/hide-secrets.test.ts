import {describe, expect, test} from 'vitest';
import {hideSecrets} from './hide-secrets.ts';

describe('hideSecrets()', () => {
  const cases = [
    {name: 'a session', json: '{"session":"abc"}', hidden: '{"session":"••••••"}'},
    {
      name: 'a token in an object, and keeps white space and numbers',
      json: '{ "a": {"token" : "x\\"y"},\n "b": 1.0}',
      hidden: '{ "a": {"token" : "••••••"},\n "b": 1.0}',
    },
    {name: 'an escaped name', json: '{"sess\\u0069on":"abc"}', hidden: '{"sess\\u0069on":"••••••"}'},
    {
      name: 'names of other sources',
      json: '{"apiKey":"a","userPassword":"b"}',
      hidden: '{"apiKey":"••••••","userPassword":"••••••"}',
    },
    {
      name: 'no other values',
      json: '{"rank":"session","token":null,"expiry":5}',
      hidden: '{"rank":"session","token":null,"expiry":5}',
    },
    {
      name: 'nothing that only looks like a member',
      json: '["a",":","token\\": \\"b","token"]',
      hidden: '["a",":","token\\": \\"b","token"]',
    },
  ];
  for (const {name, json, hidden} of cases)
    test(`hides ${name}`, () => {
      expect(hideSecrets(json)).toBe(hidden);
    });
});
