import {describe, expect, test} from 'vitest';
import {ALLOWED_IN_RUN_MAX, NotedOrigins, REFUSED_ORIGINS_MAX} from './allowed-origins.ts';

const PAGE = 'http://localhost:3000';

function open(configured: readonly string[] = []): NotedOrigins {
  let nowMs = 0;
  return new NotedOrigins(configured, () => ++nowMs);
}

describe('NotedOrigins', () => {
  test('has the origins of the settings, and those that were allowed since', () => {
    const origins = open(['https://va.example']);
    expect([origins.has('https://va.example'), origins.has(PAGE)]).toEqual([true, false]);
    expect(origins.allow(PAGE)).toEqual({allowed: ['https://va.example', PAGE], refused: []});
    expect(origins.allow(PAGE).allowed).toHaveLength(2);
    expect(origins.has(PAGE)).toBe(true);
  });

  for (const wrong of [
    ...['', '*', 'null', 'localhost:3000', 'http://localhost:3000/', 'HTTP://a.example', 'http://a.example:80'],
    ...['http://crewroom.localhost:7172', 'http://com-a-1234abcd.crewroom.localhost:7172'],
    ...['http://*.example', 'http://a.example,http://b.example', ' http://a.example', `http://${'a'.repeat(300)}`],
  ])
    test(`does not allow ${JSON.stringify(wrong.slice(0, 40))}`, () => {
      const origins = open();
      expect(() => origins.allow(wrong)).toThrow(
        expect.objectContaining({failure: expect.objectContaining({code: 'invalid-body', what: 'origin'})}),
      );
      expect([origins.has(wrong), origins.list().allowed]).toEqual([false, []]);
    });

  test('allows and shows origins up to the longest that there are', () => {
    const origins = open();
    const longest = `http://${'a.'.repeat(144)}a.dev`;
    const longer = `http://${'a.'.repeat(144)}aa.dev`;
    expect([longest.length, longer.length]).toEqual([300, 301]);
    for (const origin of [longer, longest]) origins.noteRefused(origin);
    expect(origins.list().refused.map(({origin}) => origin)).toEqual([longest]);
    const problems = [{path: '$.origin', problem: 'is longer than 300 characters'}];
    expect(() => origins.allow(longer)).toThrow(
      expect.objectContaining({failure: {code: 'invalid-body', what: 'origin', problems}}),
    );
    expect(origins.allow(longest)).toEqual({allowed: [longest], refused: []});
  });

  test('allows a limited number in one run', () => {
    const origins = open(['https://va.example']);
    for (let port = 1; port <= ALLOWED_IN_RUN_MAX; port++) origins.allow(`http://localhost:${3000 + port}`);
    const problems = [{path: '$.origin', problem: 'would be more than 100 in one run'}];
    expect(() => origins.allow(PAGE)).toThrow(
      expect.objectContaining({failure: {code: 'invalid-body', what: 'origin', problems}}),
    );
    origins.noteRefused(PAGE);
    expect([origins.has(PAGE), origins.list().refused]).toEqual([false, []]);
    expect(origins.allow('http://localhost:3001').allowed).toHaveLength(101);
  });

  test('counts refused origins, the last one first, until they are allowed', () => {
    const origins = open();
    for (const origin of [PAGE, 'https://evil.example', PAGE]) origins.noteRefused(origin);
    expect(origins.list().refused).toEqual([
      {origin: PAGE, count: 2, refusedAtMs: 3},
      {origin: 'https://evil.example', count: 1, refusedAtMs: 2},
    ]);
    expect(origins.allow(PAGE).refused.map(({origin}) => origin)).toEqual(['https://evil.example']);
  });

  test('shows neither what cannot be allowed, nor what is allowed', () => {
    const origins = open([PAGE]);
    for (const origin of ['null', '', '*', 'file://', PAGE, 'not an origin', 'x'.repeat(100)])
      origins.noteRefused(origin);
    expect(origins.list().refused).toEqual([]);
  });

  test('keeps the last twenty', () => {
    const origins = open();
    for (let port = 1; port <= REFUSED_ORIGINS_MAX + 5; port++) origins.noteRefused(`http://localhost:${3000 + port}`);
    const ports = origins.list().refused.map(({origin}) => Number(new URL(origin).port));
    expect([ports.length, ports[0], ports.at(-1)]).toEqual([20, 3025, 3006]);
  });
});
