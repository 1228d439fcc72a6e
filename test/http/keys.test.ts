import {readdir} from 'node:fs/promises';
import {describe, expect, test} from 'vitest';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, useService} from '../support/service.ts';

const service = useService();

function call(line: string, body?: string): Promise<RawAnswer> {
  return callService(service(), line, {body});
}

/** Segment of a path as it is sent, and its key. */
const KEYS: readonly (readonly [segment: string, key: string])[] = [
  ['a%2Fb', 'a/b'],
  ['a%2fb%2F', 'a/b/'],
  ['%2F', '/'],
  ['%2e%2e%2Fidentity', '../identity'],
  ['..%2F..%2Fetc%2Fpasswd', '../../etc/passwd'],
  ['...', '...'],
  ['.a', '.a'],
  ['%5C', '\\'],
  ['\\', '\\'],
  ['CON', 'CON'],
  ['con', 'con'],
  ['nul.txt', 'nul.txt'],
  ['a:b', 'a:b'],
  ['C:%5Cx', 'C:\\x'],
  ['dot.', 'dot.'],
  ['dot', 'dot'],
  ['space%20', 'space '],
  ['space', 'space'],
  ['%20space', ' space'],
  ['A', 'A'],
  ['a', 'a'],
  ['%C3%A9', '\u00e9'],
  ['e%CC%81', 'e\u0301'],
  ['%EF%AC%81', '\ufb01'],
  ['%F0%9F%9B%AB', '\u{1F6EB}'],
  ['%E2%80%8B', '\u200b'],
  ['%EF%BB%BF', '\ufeff'],
  ['%C2%80', '\u0080'],
  ['%2525', '%25'],
  ['%25', '%'],
  ['a+b', 'a+b'],
  ['a%2Bb%20c', 'a+b c'],
  ['a%3Fb', 'a?b'],
  ['a%23b', 'a#b'],
  ['a&b=c;d', 'a&b=c;d'],
  ["!$'()*,@~", "!$'()*,@~"],
  ['x'.repeat(512), 'x'.repeat(512)],
  ['%E2%82%AC'.repeat(170), '€'.repeat(170)],
];

describe('each key is exact and distinct (B3)', () => {
  test('an entry is read under exactly its key', async () => {
    const {crewroom} = service();
    const distinct = new Map(KEYS.map(([segment, key]) => [key, segment]));
    for (const [key, segment] of distinct)
      expect((await call(`PUT /api/store/${segment}`, JSON.stringify(key))).status, segment).toBe(201);
    for (const [segment, key] of KEYS) {
      const answer = await call(`GET /api/store/${segment}`);
      expect(JSON.parse(answer.body.toString()), segment).toBe(key);
      expect(Buffer.from((await crewroom.entries.get(key))?.json ?? []).toString(), segment).toBe(JSON.stringify(key));
    }
    const {entries} = await crewroom.entries.list({limit: 1000});
    expect(entries.map(({key}) => key).sort()).toEqual([...distinct.keys()].sort());
    // No key became a file name.
    expect((await readdir(service().dataDir)).sort()).toEqual(['format.json', 'lock', 'owner-token', 'store']);
  });
});

describe('an invalid key is refused and reaches no other resource (B3)', () => {
  const refused = [
    '',
    '.',
    '..',
    '%2e',
    '%2e%2e',
    '%2E.',
    '%00',
    'a%00b',
    '%0A',
    '%1F',
    '%7F',
    '%C0%AE',
    '%C0%AE%C0%AE',
    '%ED%A0%80',
    '%F4%90%80%80',
    '%FF',
    '%E2%82',
    '%',
    '%1',
    '%zz',
    '%u0041',
    'x'.repeat(513),
    '%E2%82%AC'.repeat(171),
    'x'.repeat(8000),
  ];
  for (const segment of refused) {
    test(JSON.stringify(segment.slice(0, 40)), async () => {
      for (const [line, body] of [
        [`GET /api/store/${segment}`, undefined],
        [`PUT /api/store/${segment}`, '1'],
        [`DELETE /api/store/${segment}`, undefined],
      ] as const) {
        const answer = await call(line, body);
        expect(answer.status).toBe(400);
        expect(answer.json).toMatchObject({code: 'invalid-key'});
      }
    });
  }

  test('bytes that are not ASCII are refused', async () => {
    for (const target of ['/api/store/é', '/api/keys?prefix=é', '/api/store/a b'])
      expect((await call(`GET ${target}`)).json).toMatchObject({code: 'malformed-request', status: 400});
  });

  for (const segment of ['a/b', 'a/../b', '../identity', './identity', '../../livez', '%2e%2e/identity', '/']) {
    test(`${segment} has more than one segment, and is not found`, async () => {
      for (const [line, body] of [
        [`GET /api/store/${segment}`, undefined],
        [`PUT /api/store/${segment}`, '1'],
      ] as const)
        expect((await call(line, body)).json).toMatchObject({code: 'no-resource'});
    });
  }
});

describe('keys in parameters are exact too', () => {
  test('a prefix and a cursor of any characters', async () => {
    for (const key of ['p/é+ &=1', 'p/é+ &=2', 'p/e\u0301']) await service().crewroom.entries.put(key, 1);
    const page = await call(`GET /api/keys?prefix=${encodeURIComponent('p/é+ &')}`);
    expect((page.json['entries'] as {key: string}[]).map(({key}) => key)).toEqual(['p/é+ &=1', 'p/é+ &=2']);
    const rest = await call(`GET /api/keys?prefix=p%2F&after=${encodeURIComponent('p/é+ &=1').replaceAll('%20', '+')}`);
    expect((rest.json['entries'] as {key: string}[]).map(({key}) => key)).toEqual(['p/é+ &=2']);
  });

  for (const query of [
    'prefix=%FF',
    'prefix=%00',
    'prefix=%ED%A0%80',
    'after=',
    'after=.',
    `prefix=${'x'.repeat(513)}`,
  ]) {
    test(`refuses ${query.slice(0, 30)}`, async () => {
      expect((await call(`GET /api/keys?${query}`)).json).toMatchObject({code: 'invalid-parameter', status: 400});
    });
  }
});
