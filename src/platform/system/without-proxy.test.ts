import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {withoutProxy} from './without-proxy.ts';

const OWN = 'localhost,.localhost,127.0.0.1,::1';
const PROXY = {HTTP_PROXY: 'http://proxy.example:3128'};

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
    {name: 'names each host once', given: {NO_PROXY: `${OWN},[::1]`}, all: OWN},
  ];
  for (const {name, given, all} of cases) {
    test(`${name}, with brackets for Node only`, () => {
      const environment = {...PROXY, ...given};
      assert.deepEqual(withoutProxy(environment, {isNode: false}), {NO_PROXY: all, no_proxy: all});
      const forNode = `${all},[::1]`;
      assert.deepEqual(withoutProxy(environment, {isNode: true}), {NO_PROXY: forNode, no_proxy: forNode});
    });
  }

  test('keeps the asterisk, for which no proxy is used at all', () => {
    assert.deepEqual(withoutProxy({...PROXY, NO_PROXY: '*'}, {isNode: true}), {NO_PROXY: '*', no_proxy: '*'});
  });

  test('sets nothing if there is no proxy', () => {
    assert.deepEqual(withoutProxy({NO_PROXY: 'a', https_proxy: ''}, {isNode: true}), {});
  });
});
