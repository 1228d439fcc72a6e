import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {environmentOf} from './runtime-process.ts';

describe('environmentOf()', () => {
  const inherited = [
    'PATH',
    'Path',
    'HOME',
    'LANG',
    'LC_TIME',
    'TMPDIR',
    'https_proxy',
    'SystemRoot',
    'ProgramFiles(x86)',
  ];
  for (const name of inherited) {
    test(`passes ${name} on`, () => {
      assert.equal(environmentOf({[name]: 'value'})[name], 'value');
    });
  }

  const kept = ['CREWROOM_PASSWORD', 'NODE_OPTIONS', 'AWS_SECRET_ACCESS_KEY', 'LD_PRELOAD', 'SSH_AUTH_SOCK', 'PATHS'];
  for (const name of kept) {
    test(`does not pass ${name} on`, () => {
      assert.ok(!(name in environmentOf({[name]: 'value'})));
    });
  }

  test('adds this machine to the addresses without a proxy', () => {
    const {NO_PROXY, no_proxy} = environmentOf({HTTP_PROXY: 'http://proxy.example:3128', NO_PROXY: 'example.com'});
    const all = 'example.com,localhost,.localhost,127.0.0.1,::1,[::1]';
    assert.deepEqual([NO_PROXY, no_proxy], [all, all]);
  });
});
