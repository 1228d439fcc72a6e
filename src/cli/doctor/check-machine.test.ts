import {describe, expect, test} from 'vitest';
import {checkNamesBelow, checkNode} from './check-machine.ts';

const resolving =
  (...addresses: readonly string[]) =>
  async () =>
    addresses.map(address => ({address}));
const failing = () => Promise.reject(Object.assign(new Error('getaddrinfo'), {code: 'ENOTFOUND'}));

test('the check of Node advises a version with updates where an older one works', () => {
  expect(checkNode('20.19.0')).toMatchObject({level: 'ok', detail: expect.stringMatching(/^20\.19\.0; .*22\.13/)});
  expect(checkNode('22.13.0')).toMatchObject({level: 'ok', detail: '22.13.0'});
  expect(checkNode('20.18.3')).toMatchObject({level: 'problem', detail: '20.18.3 is older than 20.19'});
});

describe('the check of names below localhost', () => {
  test('is content where the system resolves them to this machine', async () => {
    for (const platform of ['darwin', 'linux', 'win32'] as const)
      expect(await checkNamesBelow(platform, resolving('127.0.0.1', '::1'))).toEqual({
        check: 'Names below localhost',
        level: 'ok',
        detail: 'crewroom.localhost resolves',
      });
  });

  for (const [what, resolve] of [
    ['does not resolve them', failing],
    ['resolves them to another machine', resolving('127.0.0.1', '192.0.2.1')],
  ] as const) {
    test(`says on macOS what it means for Safari if the system ${what}`, async () => {
      const {level, detail, fix} = await checkNamesBelow('darwin', resolve);
      expect([level, detail]).toEqual([
        'warning',
        'the system does not resolve crewroom.localhost: in Safari, the console and the pages of plugins stay empty',
      ]);
      expect(fix).toBe('Use Chrome, Edge or Firefox, which resolve it themselves');
    });

    test(`leaves them to browsers elsewhere if the system ${what}`, async () => {
      for (const platform of ['linux', 'win32'] as const)
        expect((await checkNamesBelow(platform, resolve)).level).toBe('ok');
    });
  }
});
