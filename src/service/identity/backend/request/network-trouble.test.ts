import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {describeNetworkTrouble} from './network-trouble.ts';

/** An error as `fetch()` of Node 24 rejects with. */
function failed(facts: Readonly<Record<string, unknown>>, message = 'failed', cause?: Error): Error {
  return new TypeError('fetch failed', {cause: Object.assign(new Error(message, {cause}), facts)});
}

const refused = (address: string, port: number): Error => failed({code: 'ECONNREFUSED', address, port});
const AT_PROXY = 'the proxy of HTTPS_PROXY or HTTP_PROXY';

const CASES: readonly {readonly name: string; readonly url: string; readonly error: Error; readonly problem: string}[] =
  [
    {
      name: 'a proxy at another port than the back end',
      url: 'https://va.example/h/',
      error: refused('127.0.0.1', 3128),
      problem: `no server listens at 127.0.0.1:3128, ${AT_PROXY}`,
    },
    {
      name: 'a proxy for plain HTTP',
      url: 'http://va.example/h/',
      error: refused('::1', 3128),
      problem: 'no server listens at [::1]:3128, the proxy of HTTP_PROXY',
    },
    {
      name: 'a proxy at another address than the back end',
      url: 'https://192.0.2.1:8443/',
      error: refused('192.0.2.2', 8443),
      problem: `no server listens at 192.0.2.2:8443, ${AT_PROXY}`,
    },
    {
      name: 'a proxy whose name is not known',
      url: 'https://va.example/',
      error: failed({code: 'ENOTFOUND', hostname: 'proxy.invalid'}),
      problem: `the name proxy.invalid is not known, ${AT_PROXY}`,
    },
    {
      name: 'a proxy that refuses a tunnel',
      url: 'https://va.example/',
      error: failed({}, 'Request was cancelled.', new Error('Proxy response (403) !== 200 when HTTP Tunneling')),
      problem: `${AT_PROXY} refuses the request with status 403`,
    },
    {
      name: 'a proxy that asks for a password',
      url: 'http://va.example/',
      error: failed({code: 'UND_ERR_INVALID_ARG'}, 'Proxy Authentication Required (407)'),
      problem: 'the proxy of HTTP_PROXY refuses the request with status 407',
    },
    {
      name: 'a back end by its name',
      url: 'https://va.example/',
      error: refused('192.0.2.1', 443),
      problem: 'no server listens at va.example',
    },
    {
      name: 'a back end by its address',
      url: 'http://[::1]:8080/',
      error: refused('::1', 8080),
      problem: 'no server listens at [::1]:8080',
    },
    {
      name: 'both addresses of a name',
      url: 'http://localhost:8080/',
      error: failed({code: 'ECONNREFUSED'}),
      problem: 'no server listens at localhost:8080',
    },
    {
      name: 'a name',
      url: 'http://va.invalid/',
      error: failed({code: 'ENOTFOUND', hostname: 'va.invalid'}),
      problem: 'the name va.invalid is not known',
    },
  ];

describe('describeNetworkTrouble() names the cause:', () => {
  for (const {name, url, error, problem} of CASES) {
    test(name, () => {
      const trouble = describeNetworkTrouble(error, {url: new URL(url), headers: undefined});
      assert.equal(trouble.problem, problem);
      const isProxy = problem.includes('proxy of');
      assert.equal(trouble.advice?.includes('NO_PROXY') ?? false, isProxy);
    });
  }
});
