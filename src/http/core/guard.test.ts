import {describe, expect, test} from 'vitest';
import {readRequestHeaders} from '../../protocol/headers/request-headers.ts';
import {type JudgedRequest, judge, type Verdict} from './guard.ts';
import {createSites, type LabelOwner, type SiteOptions} from './sites.ts';

interface Options extends Partial<JudgedRequest & Pick<SiteOptions, 'port' | 'extraHosts'>> {
  readonly allowedOrigins?: readonly string[];
  /** Ids of plugins by their labels. */
  readonly plugins?: Readonly<Record<string, string>>;
}

/** Returns the verdict on a request with these headers. */
function verdictOf(
  rawHeaders: readonly string[],
  {method = 'GET', target = '/api', port = 7172, extraHosts = [], allowedOrigins = [], plugins = {}}: Options = {},
): Verdict {
  const isAllowed = (origin: string): boolean => allowedOrigins.includes(origin);
  const findPlugin = (label: string): LabelOwner | undefined => {
    const id = plugins[label];
    return id === undefined ? undefined : {id, isProved: false};
  };
  return judge(
    {method, target, headers: readRequestHeaders(rawHeaders)},
    createSites({port, extraHosts, isAllowed, findPlugin}),
  );
}

const HOST = ['Host', 'localhost:7172'];

describe('judge()', () => {
  test('admits a local program, which sends no origin', () => {
    expect(verdictOf(HOST)).toMatchObject({
      kind: 'admitted',
      target: '/api',
      origin: undefined,
      isServed: true,
    });
  });

  test('admits Node’s fetch, which sends the mode "cors" and no site', () => {
    expect(verdictOf([...HOST, 'Sec-Fetch-Mode', 'cors']).kind).toBe('admitted');
  });

  test('returns the origin that may read the answer', () => {
    const origin = 'https://va.example';
    expect(verdictOf([...HOST, 'Origin', origin], {allowedOrigins: [origin]})).toMatchObject({
      kind: 'admitted',
      origin,
    });
  });

  test('ignores the case of header names', () => {
    expect(verdictOf(['hOST', 'LOCALHOST:7172']).kind).toBe('admitted');
    expect(verdictOf([...HOST, 'oRIGIN', 'null'])).toMatchObject({failure: {code: 'foreign-origin'}});
    expect(verdictOf([...HOST, 'SEC-fetch-SITE', 'cross-site'])).toMatchObject({failure: {code: 'cross-site'}});
  });

  const refused: readonly {readonly name: string; readonly rawHeaders: readonly string[]; readonly code: string}[] = [
    {name: 'no host', rawHeaders: [], code: 'malformed-request'},
    {name: 'two hosts', rawHeaders: [...HOST, ...HOST], code: 'malformed-request'},
    {name: 'a foreign host', rawHeaders: ['Host', 'evil.example'], code: 'foreign-host'},
    {name: 'a host without our port', rawHeaders: ['Host', 'localhost'], code: 'foreign-host'},
    {name: 'a foreign host before a foreign origin', rawHeaders: ['Host', 'x', 'Origin', 'null'], code: 'foreign-host'},
    {name: 'a foreign origin', rawHeaders: [...HOST, 'Origin', 'https://evil.example'], code: 'foreign-origin'},
    {
      name: 'two origins',
      rawHeaders: [...HOST, 'Origin', 'http://localhost:7172', 'Origin', 'null'],
      code: 'foreign-origin',
    },
    {name: 'a cross-site page', rawHeaders: [...HOST, 'Sec-Fetch-Site', 'cross-site'], code: 'cross-site'},
  ];
  for (const {name, rawHeaders, code} of refused) {
    test(`refuses ${name}`, () => {
      expect(verdictOf(rawHeaders)).toMatchObject({kind: 'refused', failure: {code}});
    });
  }

  const NAVIGATION = [...HOST, 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'];

  for (const site of ['none', 'same-origin', 'same-site', 'cross-site']) {
    for (const target of ['/', '/docs', '/docs/', '/docs/x?y', '/openapi.json', 'http://localhost:7172']) {
      test(`lets a browser open ${target} from a link that is ${site}`, () => {
        const headers = [...NAVIGATION, 'Sec-Fetch-Site', site, 'Referer', 'https://elsewhere.example/'];
        expect(verdictOf(headers, {target}).kind).toBe('admitted');
      });
    }

    for (const target of ['/api', '/api/identity', '/api/docs', '/readyz', '/docsx', '/metrics', '//docs']) {
      test(`does not let a browser open ${target} from a link that is ${site}`, () => {
        const verdict = verdictOf([...NAVIGATION, 'Sec-Fetch-Site', site], {target});
        expect(verdict).toEqual({kind: 'refused', failure: {code: 'not-a-page', path: target}});
      });
    }
  }

  const unopened = [
    {name: 'a frame', headers: ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe']},
    {name: 'an object', headers: ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'object']},
    {name: 'two destinations', headers: [...NAVIGATION.slice(2), 'Sec-Fetch-Dest', 'document']},
    {name: 'no destination', headers: ['Sec-Fetch-Mode', 'navigate']},
    {name: 'a mode of older browsers', headers: ['Sec-Fetch-Mode', 'nested-navigate']},
    {name: 'two modes', headers: ['Sec-Fetch-Mode', 'cors', 'Sec-Fetch-Mode', 'navigate']},
    {name: 'a form', headers: NAVIGATION.slice(2), method: 'POST'},
  ];
  for (const {name, headers, method = 'GET'} of unopened) {
    test(`opens no page in ${name}`, () => {
      expect(verdictOf([...HOST, ...headers], {target: '/docs', method})).toMatchObject({
        failure: {code: 'not-a-page'},
      });
    });
  }

  for (const mode of ['cors', 'no-cors', 'same-origin', 'websocket'])
    test(`admits our own page in the mode ${mode}`, () => {
      const headers = [...HOST, 'Sec-Fetch-Mode', mode, 'Sec-Fetch-Site', 'same-origin'];
      expect(verdictOf([...headers, 'Referer', 'http://localhost:7172/docs']).kind).toBe('admitted');
    });

  for (const [name, value] of [
    ['Sec-Purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['Sec-Purpose', 'PREFETCH;anonymous-client-ip'],
    ['Purpose', 'prefetch'],
    ['X-Moz', 'prefetch'],
  ] as const) {
    for (const target of ['/api/identity', '/docs']) {
      test(`refuses speculative requests for ${target} (${name}: ${value})`, () => {
        const headers = [...NAVIGATION, 'Sec-Fetch-Site', 'none', name, value];
        expect(verdictOf(headers, {target})).toEqual({
          kind: 'refused',
          failure: {code: 'cross-site', site: 'prefetch'},
        });
      });
    }
  }

  const referers = [
    {referer: 'https://evil.example/page', origin: 'https://evil.example'},
    {referer: 'http://localhost:3000/', origin: 'http://localhost:3000'},
    {referer: 'http://localhost/', origin: 'http://localhost'},
    {referer: 'http://localhost:71720/', origin: 'http://localhost:71720'},
    {referer: 'http://localhost:7172@evil.example/', origin: 'http://evil.example'},
    {referer: 'http://user:password@localhost/', origin: 'http://localhost'},
    {referer: 'null', origin: 'null'},
    {referer: '/docs', origin: '/docs'},
  ];
  for (const {referer, origin} of referers) {
    test(`refuses the Referer ${referer}`, () => {
      for (const site of ['none', 'same-origin'])
        expect(verdictOf([...HOST, 'Sec-Fetch-Site', site, 'Referer', referer])).toEqual({
          kind: 'refused',
          failure: {code: 'foreign-origin', origin},
        });
    });
  }

  test('admits the Referer of an allowed origin, which a proxy forwards', () => {
    const headers = [...HOST, 'Sec-Fetch-Site', 'same-origin', 'Referer', 'http://localhost:5173/a?b#c'];
    expect(verdictOf(headers, {allowedOrigins: ['http://localhost:5173']}).kind).toBe('admitted');
  });

  test('judges by an allowed Origin alone', () => {
    const allowedOrigins = ['https://va.example'];
    const headers = [...HOST, 'Origin', 'https://va.example', 'Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'cors'];
    expect(verdictOf([...headers, 'Referer', 'https://va.example/'], {allowedOrigins}).kind).toBe('admitted');
  });

  test('refuses a form that a page of another origin sends into a window or a frame, even if it may call', () => {
    const plugins = {'com-a-1234abcd': 'com.a'};
    const allowed = 'http://localhost:5173';
    const form = ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe'];
    const send = (host: string, origin: string): Verdict =>
      verdictOf(['Host', host, 'Origin', origin, ...form], {
        ...{method: 'POST', target: '/api/com.a/page', plugins},
        allowedOrigins: [allowed],
      });
    for (const [host, origin] of [
      ['localhost:7172', 'http://com-a-1234abcd.crewroom.localhost:7172'],
      ['localhost:7172', allowed],
      ['crewroom.localhost:7172', 'http://localhost:7172'],
    ] as const)
      expect(send(host, origin), origin).toMatchObject({kind: 'refused', failure: {code: 'not-a-page'}});
    const own = 'com-a-1234abcd.crewroom.localhost:7172';
    expect(send(own, `http://${own}`).kind).toBe('admitted');
  });

  test('refuses a foreign Origin, whatever the other headers are', () => {
    const headers = [...HOST, 'Origin', 'https://evil.example', 'Sec-Fetch-Site', 'none', 'Sec-Fetch-Mode', 'navigate'];
    expect(verdictOf([...headers, 'Sec-Fetch-Dest', 'document'], {target: '/docs'})).toMatchObject({
      failure: {code: 'foreign-origin'},
    });
  });

  test('repeats only the beginning of untrusted text', () => {
    const long = 'x'.repeat(10_000);
    expect(verdictOf(['Host', long])).toEqual({
      kind: 'refused',
      failure: {code: 'foreign-host', host: 'x'.repeat(100)},
    });
  });

  const targets = [
    {target: '/api/store/%2e%2e?x=1', path: '/api/store/%2e%2e?x=1'},
    {target: '//evil.example/api', path: '//evil.example/api'},
    {target: 'http://localhost:7172/api/store/%2e%2e?x=1', path: '/api/store/%2e%2e?x=1'},
    {target: 'HTTP://[::1]:7172/', path: '/'},
    {target: 'http://127.0.0.1:7172', path: '/'},
  ];
  for (const {target, path} of targets) {
    test(`returns the path of ${target} unchanged`, () => {
      expect(verdictOf(HOST, {target})).toMatchObject({kind: 'admitted', target: path});
    });
  }

  for (const target of ['', '*', 'api', 'ftp://localhost:7172/', 'http:/api', 'http://localhost:7172?x=1']) {
    test(`refuses the target ${JSON.stringify(target)}`, () => {
      expect(verdictOf(HOST, {target})).toMatchObject({failure: {code: 'malformed-request'}});
    });
  }

  for (const target of ['http://evil.example/api', 'http://user@localhost:7172/', 'http://localhost/', 'http:///api']) {
    test(`refuses the authority of ${target}`, () => {
      expect(verdictOf(HOST, {target})).toMatchObject({failure: {code: 'foreign-host'}});
    });
  }
});

describe('judge() and pages of plugins', () => {
  const ALLOWED = ['http://localhost:3000'];
  const PAGE = '/plugins/com.example.hello/index.html';
  const navigation = (destination: string, site: string, referer?: string) => [
    ...HOST,
    'Sec-Fetch-Mode',
    'navigate',
    'Sec-Fetch-Dest',
    destination,
    'Sec-Fetch-Site',
    site,
    ...(referer === undefined ? [] : ['Referer', referer]),
  ];
  const admitted = [
    {name: 'an address that a user typed', headers: navigation('document', 'none')},
    {name: 'a link of a page of the service', headers: navigation('document', 'same-origin')},
    {name: 'a frame in a page of the service', headers: navigation('iframe', 'same-origin')},
    {name: 'a frame of the other name', headers: navigation('iframe', 'cross-site', 'http://127.0.0.1:7172/')},
    {name: 'a frame of an allowed page', headers: navigation('iframe', 'same-site', 'http://localhost:3000/')},
    {name: 'a link of an allowed page', headers: navigation('document', 'same-site', 'http://localhost:3000/')},
  ];
  for (const {name, headers} of admitted) {
    test(`admits ${name}`, () => {
      expect(verdictOf(headers, {target: PAGE, allowedOrigins: ALLOWED}).kind).toBe('admitted');
    });
  }

  const refused = [
    {name: 'a link of a foreign page', headers: navigation('document', 'cross-site', 'https://evil.example/')},
    {name: 'a link without its page', headers: navigation('document', 'cross-site')},
    {name: 'a link of another local server', headers: navigation('document', 'same-site')},
    {name: 'a frame of a foreign page', headers: navigation('iframe', 'cross-site', 'https://evil.example/')},
    {name: 'a frame without its page', headers: navigation('iframe', 'cross-site')},
    {name: 'a frame of a user', headers: navigation('iframe', 'none')},
    {name: 'a foreign page as same-origin', headers: navigation('document', 'same-origin', 'https://evil.example/')},
    {name: 'an object', headers: navigation('object', 'same-origin')},
    {name: 'a prefetch', headers: [...navigation('document', 'none'), 'Sec-Purpose', 'prefetch']},
    {name: 'a form', headers: navigation('document', 'same-origin'), method: 'POST'},
    {
      name: 'a script of a foreign page',
      headers: [...HOST, 'Sec-Fetch-Mode', 'no-cors', 'Sec-Fetch-Site', 'cross-site'],
    },
    {name: 'a path that only looks alike', headers: navigation('document', 'none'), target: '/pluginsx/a'},
  ];
  for (const {name, headers, method = 'GET', target = PAGE} of refused) {
    test(`refuses ${name}`, () => {
      expect(verdictOf(headers, {target, method, allowedOrigins: ALLOWED}).kind).toBe('refused');
    });
  }
});

describe('createSites()', () => {
  test('allows hosts without port if it is the default port', () => {
    for (const host of ['localhost', 'LOCALHOST:80', '[::1]'])
      expect(verdictOf(['Host', host], {port: 80}).kind, host).toBe('admitted');
    expect(verdictOf(['Host', 'localhost', 'Origin', 'http://localhost'], {port: 80}).kind).toBe('admitted');
  });

  test('accepts extra hosts in any case, as host and as origin', () => {
    const extraHosts = ['Core.Example'];
    expect(verdictOf(['Host', 'core.example:7172'], {extraHosts}).kind).toBe('admitted');
    const own = ['Host', 'core.example:7172', 'Origin', 'http://core.example:7172'];
    expect(verdictOf(own, {extraHosts}).kind).toBe('admitted');
  });
});
