import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {withoutProxy} from './without-proxy.ts';

const OWN = 'localhost,.localhost,127.0.0.1,[::1],::1';

describe('withoutProxy()', () => {
  const cases = [
    {name: 'names this machine', given: {}, all: OWN},
    {
      name: 'keeps what NO_PROXY names',
      given: {NO_PROXY: 'example.com, .example.org'},
      all: `example.com,.example.org,${OWN}`,
    },
    {
      name: 'joins both variables, of which programs read one',
      given: {NO_PROXY: 'a', no_proxy: 'b'},
      all: `b,a,${OWN}`,
    },
    {name: 'takes NO_PROXY if no_proxy is empty', given: {NO_PROXY: 'a', no_proxy: ''}, all: `a,${OWN}`},
    {name: 'names each host once', given: {NO_PROXY: OWN}, all: OWN},
    {name: 'keeps the asterisk, for which no proxy is used at all', given: {NO_PROXY: '*'}, all: '*'},
  ];
  for (const {name, given, all} of cases) {
    test(name, () => {
      assert.deepEqual(withoutProxy(given), {NO_PROXY: all, no_proxy: all});
    });
  }
});
