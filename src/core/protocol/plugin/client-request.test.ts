import {describe, expect, test} from 'vitest';
import {readLogRequest, readNavigation, readSound} from './client-request.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('readLogRequest()', () => {
  const cases = [
    {body: '{"message": "a", "level": "error"}', line: {level: 'error', text: 'a'}},
    {body: '{"message": "a", "level": "debug"}', line: {level: 'debug', text: 'a'}},
    {body: '{"message": "a", "level": "warning"}', line: {level: 'info', text: 'a'}},
    {body: '{"message": {"x": [1]}}', line: {level: 'info', text: '{"x":[1]}'}},
    {body: '{"message": null}', line: {level: 'info', text: 'null'}},
    {body: '{}', line: {level: 'info', text: ''}},
    {body: '"text"', line: {level: 'info', text: ''}},
    {body: '[1]', line: {level: 'info', text: ''}},
    {body: '', line: {level: 'info', text: ''}},
  ];
  for (const {body, line} of cases) {
    test(`reads ${JSON.stringify(body)}`, () => {
      expect(readLogRequest(bytes(body))).toEqual(line);
    });
  }

  test('cuts a long message', () => {
    expect(readLogRequest(bytes(JSON.stringify({message: 'x'.repeat(100_000)}))).text).toHaveLength(65_536);
  });

  test('cuts between characters', () => {
    expect(readLogRequest(bytes(JSON.stringify({message: `x${'😀'.repeat(40_000)}`}))).text.isWellFormed()).toBe(true);
  });

  for (const body of ['{', '{"message": "a"} x', `${'['.repeat(300)}${']'.repeat(300)}`]) {
    test(`refuses ${JSON.stringify(body.slice(0, 20))}`, () => {
      expect(() => readLogRequest(bytes(body))).toThrow();
    });
  }
});

test('a navigation names the plugin and its payload, if it has one', () => {
  const navigation = {kind: 'client-request', action: 'navigate', plugin: 'com.example.a'};
  expect(readNavigation(bytes('{"pluginID": "com.example.a"}'))).toEqual(navigation);
  const payload = {...navigation, payload: '{"bid":1}'};
  expect(readNavigation(bytes('{"pluginID": "com.example.a", "payloadString": "{\\"bid\\":1}"}'))).toEqual(payload);
  expect(readNavigation(bytes('{"pluginID": "com.example.a", "payloadString": {"bid": 1}}'))).toEqual(payload);
});

test('a sound has an address', () => {
  const sound = {kind: 'client-request', action: 'play-sound', url: 'http://localhost:7172/api/a/b.wav'};
  expect(readSound(bytes('{"url": "http://localhost:7172/api/a/b.wav"}'))).toEqual(sound);
});

test('a payload that does not fit in the line of an event is cut where that is full', () => {
  for (const text of ['x'.repeat(60_000), 'é"'.repeat(20_000)]) {
    const {payload = ''} = readNavigation(bytes(JSON.stringify({pluginID: 'a', payloadString: text}))) as {
      payload?: string;
    };
    expect(text.startsWith(payload)).toBe(true);
    const sizeBytes = Buffer.byteLength(JSON.stringify(payload));
    expect(sizeBytes).toBeLessThanOrEqual(28 * 1024);
    expect(sizeBytes).toBeGreaterThan(27.9 * 1024);
  }
});
