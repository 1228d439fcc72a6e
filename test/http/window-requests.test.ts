import {describe, expect, test} from 'vitest';
import {OPERATIONS} from '../../src/http/operations/operations.ts';
import {describeInEachMode} from '../support/access-modes.ts';
import type {RawAnswer} from '../support/raw-client.ts';
import {callOnConnection} from '../support/service.ts';

/** Requests of foreign pages that browsers send without Origin and without `Sec-Fetch-Site: cross-site`. */
const TYPED = ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
const ATTACKS = [
  {
    name: 'a prefetch by speculation rules',
    headers: [...TYPED, 'Sec-Purpose: prefetch', 'Referer: https://evil.example/'],
  },
  {name: 'a prerender without a Referer', headers: [...TYPED, 'Sec-Purpose: prefetch;prerender']},
  {name: 'a prefetch of older browsers', headers: ['Purpose: prefetch']},
  {name: 'a prefetch of older Firefox', headers: ['X-Moz: prefetch']},
  {name: 'a redirect of an address that the browser opened', headers: TYPED},
  {name: 'the same in a window that a click opened', headers: [...TYPED, 'Sec-Fetch-User: ?1']},
  {name: 'a link of our own page', headers: ['Sec-Fetch-Site: same-origin', ...TYPED.slice(1)]},
  {name: 'a frame', headers: ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe']},
  {name: 'a foreign Referer alone', headers: ['Referer: https://evil.example/page']},
  {name: 'a foreign Referer beside none', headers: ['Sec-Fetch-Site: none', 'Referer: http://localhost:3000/']},
];

/** Operations whose answers are pages, also of what is below `/docs`. */
const isPage = (path: string): boolean => ['/', '/openapi.json'].includes(path) || /^\/docs(?:\/|$)/.test(path);

/** Parameters that operations require. */
const QUERIES: Readonly<Record<string, string>> = {
  'DELETE /api/keys': '?prefix=&all=true',
  'GET /api/keys': '?values=true',
  'GET /api/events': '?waitSeconds=50',
  'POST /api/import': '?mode=replace',
};

/** Every operation, with valid parameters. */
const REQUESTS = Object.keys(OPERATIONS)
  .filter(name => !isPage(name.split(' ')[1] ?? ''))
  .map(name => ({line: `${name.replace('{key}', 'k')}${QUERIES[name] ?? ''}`}));

/** A body that any operation with a body could accept. */
const BODY = '{"operations":[{"kind":"delete","key":"k"}],"username":"1","password":"x"}';

describeInEachMode({}, ({service, credentials}) => {
  const send = callOnConnection(service);

  function call(line: string, headers: readonly string[]): Promise<RawAnswer> {
    const body = /^(GET|DELETE)/.test(line) ? undefined : BODY;
    return send(line, {headers: [...headers, ...credentials()], body});
  }

  describe('requests of foreign pages that browsers do not mark as such (A17, A23)', () => {
    for (const {name, headers} of ATTACKS) {
      test(`${name} is refused by every operation before any lookup`, async () => {
        const {crewroom} = service();
        await crewroom.entries.put('k', 'untouched');
        const before = await crewroom.entries.list({values: true});
        for (const {line} of REQUESTS) {
          const {status, json, text} = await call(line, headers);
          expect(status, line).toBe(403);
          expect(['foreign-page', 'not-a-page'], line).toContain(json['code']);
          expect(text, line).not.toMatch(/va_user|pilotID|untouched/);
          expect(text, line).toMatch(/^cross-origin-opener-policy: same-origin\r$/im);
          expect(text, line).toMatch(/^origin-agent-cluster: \?1\r$/im);
        }
        expect(await crewroom.entries.list({values: true})).toEqual(before);
      });

      test(`${name} cannot find out which keys exist`, async () => {
        await service().crewroom.entries.put('there', 1);
        // If admitted, the second one would be answered at once if a key matches, otherwise after 50 seconds.
        for (const path of ['/api/store/', '/api/keys?prefix=', '/api/events?waitSeconds=50&initial=true&prefix=']) {
          const [first, second] = [await call(`GET ${path}absent`, headers), await call(`GET ${path}there`, headers)];
          const told = ({status, json: {code, advice}}: RawAnswer) => ({status, code, advice});
          expect(told(second)).toEqual(told(first));
          expect(first.status).toBe(403);
        }
      });

      test(`${name} opens no WebSocket`, async () => {
        const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
        const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
        expect((await call('GET /api/events', [...headers, ...upgrade, key])).status).toBe(403);
      });
    }

    test('a typed address is refused with advice that names the page to open', async () => {
      const {status, json} = await call('GET /api/identity', [...TYPED, 'Sec-Fetch-User: ?1']);
      expect([status, json]).toEqual([403, expect.objectContaining({code: 'not-a-page', path: '/api/identity'})]);
      expect(json['advice']).toContain('/docs');
    });
  });

  describe('pages contain no data, and any page may link to them', () => {
    for (const site of ['none', 'cross-site', 'same-site', 'same-origin']) {
      test(`a window opens them (${site})`, async () => {
        for (const path of [
          '/',
          '/docs',
          '/docs/',
          '/docs/guides/first-plugin',
          '/docs/errors/no-entry',
          '/openapi.json',
        ]) {
          const headers = [`Sec-Fetch-Site: ${site}`, ...TYPED.slice(1), 'Referer: https://elsewhere.example/'];
          const answer = await call(`GET ${path}`, headers);
          expect(answer.status, path).toBeLessThan(400);
          expect(answer.headers.get('cross-origin-opener-policy'), path).toBe('same-origin');
          expect(answer.headers.has('access-control-allow-origin')).toBe(false);
        }
      });
    }

    test('frames, images and scripts of foreign pages cannot load them', async () => {
      for (const path of ['/', '/docs', '/docs/explorer.js', '/docs/errors/no-entry', '/openapi.json']) {
        for (const [mode, destination] of [
          ['navigate', 'iframe'],
          ['no-cors', 'image'],
          ['no-cors', 'script'],
          ['cors', 'empty'],
        ]) {
          const headers = ['Sec-Fetch-Site: cross-site', `Sec-Fetch-Mode: ${mode}`, `Sec-Fetch-Dest: ${destination}`];
          expect((await call(`GET ${path}`, headers)).status, `${path} ${destination}`).toBe(403);
        }
      }
    });
  });
});
