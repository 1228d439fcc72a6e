import type {LookupAddress} from 'node:dns';
import {describe, expect, test} from 'vitest';
import {createLoopbackLookup, findServerProblem} from './loopback.ts';

/** Looks up a name that has some addresses, as a connection does. */
function lookUp(addresses: readonly string[], all = true): Promise<string | readonly LookupAddress[]> {
  const found = addresses.map(address => ({address, family: address.includes(':') ? 6 : 4}));
  const look = createLoopbackLookup((_name, _options, callback) => callback(null, found));
  return new Promise((resolve, reject) => {
    look('dev.example', {all}, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

describe('the addresses of a name', () => {
  for (const addresses of [['127.0.0.1'], ['::1', '127.0.0.1'], ['127.8.9.10'], ['::ffff:127.0.0.1']])
    test(`are used if they are ${addresses.join(' and ')}`, async () => {
      expect(((await lookUp(addresses)) as readonly LookupAddress[]).map(({address}) => address)).toEqual(addresses);
      expect(await lookUp(addresses, false)).toBe(addresses[0]);
    });

  for (const foreign of ['192.0.2.1', '10.0.0.1', '0.0.0.0', '169.254.169.254', '::', 'fe80::1', '::ffff:192.0.2.1'])
    test(`are refused if one of them is ${foreign}, whatever the others are`, async () => {
      for (const addresses of [[foreign], ['127.0.0.1', foreign], [foreign, '::1']])
        for (const all of [true, false])
          await expect(lookUp(addresses, all)).rejects.toThrow(
            `the name dev.example leads to ${foreign}, which is not a loopback address`,
          );
    });
});

describe('findServerProblem()', () => {
  for (const address of ['http://localhost:5173', 'http://127.0.0.1:1/', 'http://[::1]:80', 'http://dev.example'])
    test(`accepts ${address}`, () => expect(findServerProblem(address)).toBeUndefined());

  const refused = {
    'localhost:5173': 'has the scheme localhost: only http is supported',
    '5173': 'is not an address such as http://localhost:5173',
    'https://localhost': 'has the scheme https: only http is supported',
    'http://me:secret@localhost': 'contains a user name or a password',
    'http://localhost/plugins/': 'has a path: name only the scheme, the host and the port',
    'http://192.0.2.1': 'leads to 192.0.2.1, which is not a loopback address',
    'http://[::ffff:192.0.2.1]': 'leads to ::ffff:c000:201, which is not a loopback address',
    'http://3221225985': 'leads to 192.0.2.1, which is not a loopback address',
  };
  for (const [address, problem] of Object.entries(refused))
    test(`refuses ${address}`, () => expect(findServerProblem(address)).toBe(problem));
});
