import {describe, expect, test} from 'vitest';
import {readRequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import {judge} from './guard.ts';
import {createSites} from './sites.ts';

const ALLOWED = 'http://localhost:3000';
const SERVICE = 'localhost:7172';
const CONSOLE = 'crewroom.localhost:7172';
const PLUGIN = 'com-a-1234abcd.crewroom.localhost:7172';
const OTHER = 'com-b-1234abcd.crewroom.localhost:7172';

const sites = createSites({
  port: 7172,
  extraHosts: ['core.example'],
  isAllowed: origin => origin === ALLOWED,
  findPlugin: label =>
    ({
      'com-a-1234abcd': {id: 'com.a', isProved: false},
      'com-b-1234abcd': {id: 'com.b', isProved: false},
      'com-b-secret': {id: 'com.b', isProved: true},
    })[label],
});

function verdictOf(host: string, headers: readonly string[] = [], target = '/api/identity'): string {
  const verdict = judge({method: 'GET', target, headers: readRequestHeaders(['Host', host, ...headers])}, sites);
  if (verdict.kind === 'admitted') return siteAt(host);
  return verdict.failure.code === 'foreign-page' ? verdict.failure.why : verdict.failure.code;
}

/** Returns whether a host serves a target. */
function isServed(host: string, target: string, rawHeaders: readonly string[] = []): boolean {
  const verdict = judge({method: 'GET', target, headers: readRequestHeaders(['Host', host, ...rawHeaders])}, sites);
  return verdict.kind === 'admitted' && verdict.isServed;
}

/** Returns the kind of the site of a host, by what it serves. */
function siteAt(host: string): string {
  if (isServed(host, '/api/access/page-tokens')) return 'console';
  return isServed(host, '/metrics') ? 'service' : 'plugin';
}

describe('judge() names the plugin whose page calls', () => {
  const pluginOf = (host: string, headers: readonly string[]): string | undefined => {
    const verdict = judge(
      {method: 'GET', target: '/api/identity', headers: readRequestHeaders(['Host', host, ...headers])},
      sites,
    );
    return verdict.kind === 'admitted' ? verdict.credentials.plugin : verdict.failure.code;
  };
  const cases: readonly {
    readonly name: string;
    readonly host: string;
    readonly headers: readonly string[];
    readonly plugin: string | undefined;
  }[] = [
    {name: 'its own host', host: PLUGIN, headers: [], plugin: 'com.a'},
    {name: 'its own host, with its origin', host: PLUGIN, headers: ['Origin', `http://${PLUGIN}`], plugin: 'com.a'},
    {name: 'the service', host: SERVICE, headers: ['Origin', `http://${OTHER}`], plugin: 'com.b'},
    {name: 'no page', host: SERVICE, headers: [], plugin: undefined},
    {name: 'a page of the service', host: SERVICE, headers: ['Origin', `http://${SERVICE}`], plugin: undefined},
    {name: 'an allowed page', host: SERVICE, headers: ['Origin', ALLOWED], plugin: undefined},
    {
      name: 'the host of another plugin',
      host: PLUGIN,
      headers: ['Origin', `http://${OTHER}`],
      plugin: 'foreign-page',
    },
  ];
  for (const {name, host, headers, plugin} of cases)
    test(`for ${name}: ${plugin}`, () => expect(pluginOf(host, headers)).toBe(plugin));
});

test('judge() trusts the name of a page with a secret, as the host that is called or as the origin', () => {
  const secret = 'com-b-secret.crewroom.localhost:7172';
  const isProved = (host: string, headers: readonly string[] = []): boolean | undefined => {
    const verdict = judge(
      {method: 'GET', target: '/api/identity', headers: readRequestHeaders(['Host', host, ...headers])},
      sites,
    );
    return verdict.kind === 'admitted' ? verdict.credentials.isPageProved : undefined;
  };
  expect([isProved(secret), isProved(SERVICE, ['Origin', `http://${secret}`])]).toEqual([true, true]);
  expect([isProved(OTHER), isProved(SERVICE, ['Origin', `http://${OTHER}`]), isProved(SERVICE)]).toEqual([
    false,
    false,
    false,
  ]);
  // Neither origin of a plugin may act for the other.
  expect(isProved(secret, ['Origin', `http://${OTHER}`])).toBeUndefined();
  expect(isProved(OTHER, ['Origin', `http://${secret}`])).toBeUndefined();
  // The Referer proves nothing, and nor does an absolute target.
  expect(isProved(SERVICE, ['Referer', `http://${secret}/plugins/com.b/`])).toBe(false);
});

describe('createSites()', () => {
  for (const {host, kind} of [
    {host: SERVICE, kind: 'service'},
    {host: '127.0.0.1:7172', kind: 'service'},
    {host: 'core.example:7172', kind: 'service'},
    {host: CONSOLE, kind: 'console'},
    {host: 'CREWROOM.localhost:7172', kind: 'console'},
    {host: PLUGIN, kind: 'plugin'},
    {host: PLUGIN.toUpperCase(), kind: 'plugin'},
  ])
    test(`serves ${host} as ${kind}`, () => expect(verdictOf(host)).toBe(kind));

  for (const host of [
    ...['crewroom.localhost', 'crewroom.localhost:80', 'crewroom.localhost.:7172', 'xcrewroom.localhost:7172'],
    ...['x.crewroom.localhost:7172', '.crewroom.localhost:7172', `x.${PLUGIN}`, 'com.a.crewroom.localhost:7172'],
    ...[
      'com-a-1234abcd.crewroom.localhost',
      'com-a-1234abcd.crewroom.localhost.:7172',
      'com-a-1234abcd.localhost:7172',
    ],
    ...['x.crewroom.localhost.evil:7172', 'crewroom.localhost.evil.example:7172', `${PLUGIN}.evil`, `${PLUGIN}:7172`],
    ...['com-a-1234abcd.crewroom.localhost:07172', 'crewroom.core.example:7172'],
  ])
    test(`does not serve ${host}`, () => expect(verdictOf(host)).toBe('foreign-host'));

  test('omits the default port', () => {
    const onHttp = createSites({
      port: 80,
      extraHosts: [],
      isAllowed: () => false,
      findPlugin: () => ({id: 'com.a', isProved: false}),
    });
    for (const host of ['crewroom.localhost', 'a.crewroom.localhost', 'a.crewroom.localhost:80', 'localhost:80'])
      expect(onHttp(host), host).toBeDefined();
    expect(onHttp('a.crewroom.localhost')?.mayCall('http://a.crewroom.localhost')).toBe(true);
  });

  const origins = [
    'null',
    'https://evil.example',
    ALLOWED,
    ...[SERVICE, CONSOLE, PLUGIN, OTHER].map(host => `http://${host}`),
  ];
  for (const {host, callers} of [
    {host: SERVICE, callers: [ALLOWED, ...[SERVICE, CONSOLE, PLUGIN, OTHER].map(each => `http://${each}`)]},
    {host: CONSOLE, callers: [SERVICE, CONSOLE].map(each => `http://${each}`)},
    {host: PLUGIN, callers: [`http://${PLUGIN}`]},
  ])
    test(`${host} may be called by pages of ${callers.join(', ')} only`, () => {
      const admitted = origins.filter(origin => verdictOf(host, ['Origin', origin]) !== 'origin');
      expect(admitted).toEqual(callers);
      const byReferer = origins.filter(each => verdictOf(host, ['Referer', `${each}/a`]) !== 'origin');
      expect(byReferer).toEqual(callers);
    });

  test('admits no request of the same site as such', () => {
    for (const host of [SERVICE, CONSOLE, PLUGIN])
      for (const more of [[], ['Sec-Fetch-Mode', 'no-cors', 'Sec-Fetch-Dest', 'image']])
        expect(verdictOf(host, ['Sec-Fetch-Site', 'same-site', ...more])).toBe('site');
  });

  const FRAME = ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe', 'Sec-Fetch-Site', 'same-site'];
  test('lets the console and allowed pages show the page of a plugin in a frame, and no other plugin', () => {
    const openers = origins.filter(
      origin => verdictOf(PLUGIN, [...FRAME, 'Referer', `${origin}/`], '/plugins/com.a/') === 'plugin',
    );
    expect(openers).toEqual([ALLOWED, `http://${SERVICE}`, `http://${CONSOLE}`, `http://${PLUGIN}`]);
    expect(verdictOf(PLUGIN, FRAME, '/plugins/com.a/')).toBe('site');
  });

  test('lets no absolute target name another site than the Host header', () => {
    expect(verdictOf(SERVICE, [], `http://${CONSOLE}/`)).toBe('foreign-host');
    expect(verdictOf(PLUGIN, [], `http://${OTHER}/`)).toBe('foreign-host');
    expect(verdictOf(PLUGIN, [], `http://${PLUGIN}/api/identity`)).toBe('plugin');
  });
});

describe('judge() knows what a site serves:', () => {
  for (const {target, served} of [
    {target: '/', served: [SERVICE, CONSOLE]},
    {target: '/console/assets/index.js', served: [SERVICE, CONSOLE]},
    {target: '/docs', served: [SERVICE, CONSOLE]},
    {target: '/metrics', served: [SERVICE, CONSOLE]},
    {target: '/api', served: [SERVICE, CONSOLE, PLUGIN]},
    {target: '/api/identity?x', served: [SERVICE, CONSOLE, PLUGIN]},
    {target: '/api/access/codes', served: [SERVICE, CONSOLE]},
    {target: '/api/access/page-tokens', served: [CONSOLE]},
    {target: '/plugins/com.a', served: [SERVICE, PLUGIN]},
    {target: '/plugins/com.a/', served: [SERVICE, PLUGIN]},
    {target: '/plugins/com.a/app.js?v=1', served: [SERVICE, PLUGIN]},
    {target: '/plugins/com.ab/', served: [SERVICE]},
    {target: '/plugins/com.b/', served: [SERVICE]},
    {target: '/plugins/com.a%2F..%2Fcom.b/', served: [SERVICE]},
    {target: '//plugins/com.a/', served: [SERVICE, CONSOLE]},
  ])
    test(`${target} at ${served.join(', ')}`, () => {
      expect([SERVICE, CONSOLE, PLUGIN].filter(host => isServed(host, target))).toEqual(served);
    });

  test('no script of a service worker, which would answer for the service later', () => {
    for (const host of [SERVICE, CONSOLE, PLUGIN])
      for (const target of ['/plugins/com.a/worker.js', '/api/com.a/worker.js', '/docs'])
        expect(isServed(host, target, ['Sec-Fetch-Dest', 'serviceworker']), host + target).toBe(false);
  });

  test('files of plugins at the console as pictures and sounds only', () => {
    for (const [destination, served] of [
      ...['image', 'audio', 'video'].map(each => [each, true] as const),
      ...['document', 'iframe', 'script', 'serviceworker', 'style', 'empty', 'object', 'embed', 'frame', ''].map(
        each => [each, false] as const,
      ),
    ])
      expect(isServed(CONSOLE, '/plugins/com.a/a', ['Sec-Fetch-Dest', destination]), destination).toBe(served);
    expect(isServed(CONSOLE, '/plugins/com.a/a', ['Sec-Fetch-Dest', 'image', 'Sec-Fetch-Dest', 'document'])).toBe(
      false,
    );
  });
});
