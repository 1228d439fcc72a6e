import {describe, expect, test} from 'vitest';
import {addressesOf, formatAddress, isLoopback} from './loopback.ts';

describe('isLoopback()', () => {
  for (const host of ['localhost', 'LocalHost', '127.0.0.1', '::1'])
    test(`knows ${host}`, () => expect(isLoopback(host)).toBe(true));
  for (const host of ['0.0.0.0', '::', '127.0.0.2', '[::1]', '::ffff:127.0.0.1', 'localhost.', ''])
    test(`does not accept ${JSON.stringify(host)}`, () => expect(isLoopback(host)).toBe(false));
});

test('localhost is two addresses, and any other host is one', () => {
  expect([addressesOf('LOCALHOST'), addressesOf('::1')]).toEqual([['127.0.0.1', '::1'], ['::1']]);
});

test('IPv6 addresses stand in brackets before a port', () => {
  expect([formatAddress('127.0.0.1', 80), formatAddress('::1', 7172)]).toEqual(['127.0.0.1:80', '[::1]:7172']);
});
