import {describe, expect, test} from 'vitest';
import {readRequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import {type JudgedRequest, judge, type Verdict} from './guard.ts';
import {createSites, type LabelOwner, type SiteOptions} from './sites.ts';

interface Options extends Partial<JudgedRequest & Pick<SiteOptions, 'port' | 'extraHosts'>> {
  readonly allowedOrigins?: readonly string[];
  /** Ids of plugins by their labels. */
  readonly plugins?: Readonly<Record<string, string>>;
  /** True if no other program can know the labels. */
  readonly isProved?: boolean;
}

/** Returns the verdict on a request with these headers. */
function verdictOf(rawHeaders: readonly string[], options: Options = {}): Verdict {
  const {method = 'GET', target = '/api', port = 7172, extraHosts = []} = options;
  const {allowedOrigins = [], plugins = {}, isProved = false} = options;
  const isAllowed = (origin: string): boolean => allowedOrigins.includes(origin);
  const findPlugin = (label: string): LabelOwner | undefined => {
    const id = plugins[label];
    return id === undefined ? undefined : {id, isProved};
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
    expect(verdictOf([...HOST, 'oRIGIN', 'null'])).toMatchObject({failure: {code: 'foreign-page', why: 'origin'}});
    expect(verdictOf([...HOST, 'SEC-fetch-SITE', 'cross-site'])).toMatchObject({
      failure: {code: 'foreign-page', why: 'site'},
    });
  });

  const refused: readonly {readonly name: string; readonly rawHeaders: readonly string[]; readonly code: string}[] = [
    {name: 'no host', rawHeaders: [], code: 'malformed-request'},
    {name: 'two hosts', rawHeaders: [...HOST, ...HOST], code: 'malformed-request'},
    {name: 'a foreign host', rawHeaders: ['Host', 'evil.example'], code: 'foreign-host'},
    {name: 'a host without our port', rawHeaders: ['Host', 'localhost'], code: 'foreign-host'},
    {name: 'a foreign host before a foreign origin', rawHeaders: ['Host', 'x', 'Origin', 'null'], code: 'foreign-host'},
    {name: 'a foreign origin', rawHeaders: [...HOST, 'Origin', 'https://evil.example'], code: 'foreign-page'},
    {
      name: 'two origins',
      rawHeaders: [...HOST, 'Origin', 'http://localhost:7172', 'Origin', 'null'],
      code: 'foreign-page',
    },
    {name: 'a cross-site page', rawHeaders: [...HOST, 'Sec-Fetch-Site', 'cross-site'], code: 'foreign-page'},
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
          failure: {code: 'foreign-page', why: 'site', site: 'prefetch'},
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
    {referer: '/http://localhost:7172/', origin: '/http://localhost:7172/'},
    {referer: 'x/user@host', origin: 'x/user@host'},
  ];
  for (const {referer, origin} of referers) {
    test(`refuses the Referer ${referer}`, () => {
      for (const site of ['none', 'same-origin'])
        expect(verdictOf([...HOST, 'Sec-Fetch-Site', site, 'Referer', referer])).toEqual({
          kind: 'refused',
          failure: {code: 'foreign-page', why: 'origin', origin},
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
      failure: {code: 'foreign-page', why: 'origin'},
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

  const malformed = ['', '*', 'api', 'ftp://localhost:7172/', 'http:/api', 'http://localhost:7172?x=1'];
  for (const target of [...malformed, 'xhttp://localhost:7172/']) {
    test(`refuses the target ${JSON.stringify(target)}`, () => {
      expect(verdictOf(HOST, {target})).toEqual({
        kind: 'refused',
        failure: {code: 'malformed-request', problem: 'its target is not a path'},
      });
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

describe('judge() and the sites of a service', () => {
  const PLUGINS = {'com-a-1234abcd': 'com.a', 'com-b-1234abcd': 'com.b'};
  const SITES = {
    service: 'localhost:7172',
    console: 'crewroom.localhost:7172',
    'plugin a': 'com-a-1234abcd.crewroom.localhost:7172',
    'plugin b': 'com-b-1234abcd.crewroom.localhost:7172',
  };
  type Place = keyof typeof SITES;
  const at = (place: Place, headers: readonly string[] = [], options: Options = {}): Verdict =>
    verdictOf(['Host', SITES[place], ...headers], {plugins: PLUGINS, ...options});

  test('says what a request without one host lacks', () => {
    const problems = [[], [...HOST, ...HOST]].map(headers => verdictOf(headers));
    expect(problems).toEqual(
      ['it has no Host header', 'it has more than one Host header'].map(problem => ({
        kind: 'refused',
        failure: {code: 'malformed-request', problem},
      })),
    );
  });

  test('passes on every credential', () => {
    const headers = ['Authorization', 'Bearer x', 'Authorization', 'Basic y', 'X-Crewroom-Token', 'z'];
    expect(at('service', headers)).toMatchObject({
      credentials: {
        authorizations: ['Bearer x', 'Basic y'],
        backgroundTokens: ['z'],
        plugin: undefined,
        isPageProved: false,
      },
    });
  });

  const pages: readonly {readonly host: Place; readonly origin?: string; readonly plugin: string | undefined}[] = [
    {host: 'plugin a', plugin: 'com.a'},
    {host: 'plugin a', origin: `http://${SITES['plugin a']}`, plugin: 'com.a'},
    {host: 'service', origin: `http://${SITES['plugin a']}`, plugin: 'com.a'},
    {host: 'service', origin: `http://${SITES.service}`, plugin: undefined},
    {host: 'service', origin: `https://${SITES['plugin a']}`, plugin: undefined},
    {host: 'service', plugin: undefined},
  ];
  for (const {host, origin, plugin} of pages) {
    test(`names ${plugin ?? 'no plugin'} for a page of ${origin ?? 'no origin'} that calls the ${host}`, () => {
      const headers = origin === undefined ? [] : ['Origin', origin];
      for (const isProved of [true, false])
        expect(at(host, headers, {isProved, allowedOrigins: [`https://${SITES['plugin a']}`]})).toMatchObject({
          credentials: {plugin, isPageProved: isProved && plugin !== undefined},
        });
    });
  }

  for (const [host, named] of [
    ['service', 'console'],
    ['console', 'service'],
    ['plugin a', 'plugin b'],
    ['plugin a', 'console'],
  ] as const) {
    test(`refuses a target with the name of ${named} at the ${host}`, () => {
      const target = `http://${SITES[named]}/`;
      expect(at(host, [], {target})).toEqual({kind: 'refused', failure: {code: 'foreign-host', host: SITES[named]}});
      expect(at(host, [], {target: `http://${SITES[host]}/`}).kind).toBe('admitted');
    });
  }

  const served: readonly {
    readonly site: Place;
    readonly target: string;
    readonly destinations?: readonly string[];
    readonly isServed: boolean;
  }[] = [
    {site: 'service', target: '/api/store', isServed: true},
    {site: 'service', target: '/plugins/com.a/index.html', isServed: true},
    {site: 'service', target: '/api/access/page-tokens', isServed: false},
    {site: 'service', target: '/api/access/page-tokens?x', isServed: false},
    {site: 'service', target: '/docs', destinations: ['serviceworker'], isServed: false},
    {site: 'service', target: '/docs', destinations: ['script'], isServed: true},
    {site: 'console', target: '/', isServed: true},
    {site: 'console', target: '/x/plugins/', isServed: true},
    {site: 'console', target: '/api/access/page-tokens', isServed: true},
    {site: 'console', target: '/plugins/com.a/index.html', isServed: false},
    {site: 'console', target: '/plugins/com.a/main.js', destinations: ['script'], isServed: false},
    {site: 'console', target: '/plugins/com.a/icon.png', destinations: ['image'], isServed: true},
    {site: 'console', target: '/plugins/com.a/icon.png', destinations: ['image', 'script'], isServed: false},
    {site: 'console', target: '/plugins/com.a/ding.ogg', destinations: ['audio'], isServed: true},
    {site: 'console', target: '/plugins/com.a/taxi.mp4', destinations: ['video'], isServed: true},
    {site: 'plugin a', target: '/api', isServed: true},
    {site: 'plugin a', target: '/api?x', isServed: true},
    {site: 'plugin a', target: '/api/store', isServed: true},
    {site: 'plugin a', target: '/api/access/owner', isServed: false},
    {site: 'plugin a', target: '/api/x/api/access/', isServed: true},
    {site: 'plugin a', target: '/apix', isServed: false},
    {site: 'plugin a', target: '/x/api/', isServed: false},
    {site: 'plugin a', target: '/plugins/com.a', isServed: true},
    {site: 'plugin a', target: '/plugins/com.a?x', isServed: true},
    {site: 'plugin a', target: '/plugins/com.a/index.html', isServed: true},
    {site: 'plugin a', target: '/plugins/com.a.b/index.html', isServed: false},
    {site: 'plugin a', target: '/plugins/com.b/', isServed: false},
    {site: 'plugin a', target: '/x/plugins/com.a/', isServed: false},
    {site: 'plugin a', target: '/client.js', isServed: true},
    {site: 'plugin a', target: '/ws', isServed: true},
    {site: 'plugin a', target: '/', isServed: false},
    {site: 'plugin a', target: '/docs', isServed: false},
    {site: 'plugin a', target: '/plugins/com.a/worker.js', destinations: ['serviceworker'], isServed: false},
  ];
  for (const {site, target, destinations = [], isServed} of served) {
    test(`${isServed ? 'serves' : 'does not serve'} ${[target, ...destinations].join(' as ')} at the ${site}`, () => {
      const headers = destinations.flatMap(destination => ['Sec-Fetch-Dest', destination]);
      expect(at(site, headers, {target})).toMatchObject({kind: 'admitted', isServed});
    });
  }

  test('keeps secrets out of what it says of a host and an origin', () => {
    expect(verdictOf(['Host', 'user:password@evil.example'])).toMatchObject({failure: {host: 'evil.example'}});
    expect(verdictOf([...HOST, 'Origin', 'https://user:password@evil.example'])).toMatchObject({
      failure: {origin: 'https://evil.example'},
    });
  });

  test('admits an empty Referer, which some programs send, but not to open the page of a plugin', () => {
    expect(verdictOf([...HOST, 'Referer', '']).kind).toBe('admitted');
    const open = ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document', 'Sec-Fetch-Site', 'cross-site'];
    expect(verdictOf([...HOST, ...open, 'Referer', ''], {target: '/plugins/com.a/'})).toEqual({
      kind: 'refused',
      failure: {code: 'foreign-page', why: 'site', site: 'cross-site'},
    });
  });

  test('opens no page of a plugin for two destinations', () => {
    const headers = ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe', 'Sec-Fetch-Dest', 'document'];
    const verdict = verdictOf([...HOST, ...headers, 'Sec-Fetch-Site', 'same-origin'], {target: '/plugins/com.a/'});
    expect(verdict).toMatchObject({failure: {code: 'not-a-page'}});
  });

  test('admits a purpose that is no speculation', () => {
    expect(verdictOf([...HOST, 'Purpose', 'preview']).kind).toBe('admitted');
  });
});

describe('judge() at a host that browsers do not mark', () => {
  const UNMARKED = {extraHosts: ['core.example']};
  const BROWSER = ['User-Agent', 'Mozilla/5.0'];
  const CORE = ['Host', 'core.example:7172', ...BROWSER];

  test('refuses a browser, of which any page may have sent the request', () => {
    const failure = {code: 'foreign-page', why: 'unmarked', host: 'core.example:7172'};
    expect(verdictOf(CORE, UNMARKED)).toEqual({kind: 'refused', failure});
  });

  const admitted: readonly {
    readonly name: string;
    readonly headers: readonly string[];
    readonly target?: string;
  }[] = [
    {name: 'a browser at a host that it marks', headers: [...HOST, ...BROWSER]},
    {name: 'a request that is marked all the same', headers: [...CORE, 'Sec-Fetch-Site', 'same-origin']},
    {name: 'another program', headers: ['Host', 'core.example:7172', 'User-Agent', 'curl/8']},
    {name: 'a program that only mentions one', headers: ['Host', 'core.example:7172', 'User-Agent', 'x Mozilla/5.0']},
    {name: 'a program without a name', headers: ['Host', 'core.example:7172']},
    {name: 'our client', headers: [...CORE, 'X-Crewroom-Client', '1']},
    {name: 'a token', headers: [...CORE, 'Authorization', 'Bearer x']},
    {name: 'a token beside another', headers: [...CORE, 'Authorization', 'Basic x', 'Authorization', 'bearer x']},
    ...['/', '/docs', '/docs/x?y', '/openapi.json', '/console/main.js', '/plugins/com.a/main.js'].map(target => ({
      ...{name: `the file ${target} of a page`, headers: CORE, target},
    })),
  ];
  for (const {name, headers, target = '/api'} of admitted) {
    test(`admits ${name}`, () => {
      expect(verdictOf(headers, {...UNMARKED, target}).kind).toBe('admitted');
    });
  }

  const refused: readonly {readonly name: string; readonly headers?: readonly string[]; readonly target?: string}[] = [
    {name: 'our client in another version', headers: ['X-Crewroom-Client', '2']},
    {name: 'a password', headers: ['Authorization', 'Basic Bearer x']},
    {name: 'a path that ends like a folder of pages', target: '/api/console/'},
    {name: 'a path that ends like the page', target: '/api/docs'},
  ];
  for (const {name, headers = [], target = '/api'} of refused) {
    test(`refuses a browser with ${name}`, () => {
      expect(verdictOf([...CORE, ...headers], {...UNMARKED, target})).toMatchObject({
        failure: {code: 'foreign-page', why: 'unmarked'},
      });
    });
  }
});

test('the plugin whose page calls is looked for once for each request', () => {
  const labels: string[] = [];
  const findPlugin = (label: string): LabelOwner => {
    labels.push(label);
    return {id: 'com.a', isProved: true};
  };
  const sites = createSites({port: 7172, extraHosts: [], isAllowed: () => false, findPlugin});
  const own = 'a.crewroom.localhost:7172';
  for (const rawHeaders of [
    [...HOST, 'Origin', `http://${own}`],
    ['Host', own, 'Origin', `http://${own}`],
  ]) {
    labels.length = 0;
    const verdict = judge({method: 'GET', target: '/api', headers: readRequestHeaders(rawHeaders)}, sites);
    expect(verdict).toMatchObject({kind: 'admitted', credentials: {plugin: 'com.a', isPageProved: true}});
    expect(labels).toEqual(['a']);
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
