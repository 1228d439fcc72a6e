import {describe, expect, test} from 'vitest';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, useService} from '../support/service.ts';

const service = useService();

function call(line: string, body?: string | Uint8Array, headers: readonly string[] = []): Promise<RawAnswer> {
  return callService(service(), line, {headers, body});
}

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

describe('a value is returned byte for byte (B1)', () => {
  const values = [
    '9007199254740993',
    '12345678901234567890',
    '-0',
    '1.0',
    '1e400',
    '1E-400',
    '0.1000000000000000055511151231257827021181583404541015625',
    '{"a":1,"a":2,"b":{"a":3}}',
    '{"z":1,"a":2,"10":3,"9":4}',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"\\u0041\\/\\b"',
    '"A/"',
    '"é"',
    '"e\u0301"',
    '"\u{1F6EB}"',
    '"\u007f\u2028\ufeff"',
    '[ 1 ,\n\t2\r]',
    '""',
    'null',
    'true',
    '0',
    '[]',
    '{}',
    '{"__proto__":{"polluted":true},"constructor":1}',
  ];
  for (const value of values) {
    test(JSON.stringify(value), async () => {
      expect((await call('POST /api/store/value', value)).status).toBe(200);
      const answer = await call('GET /api/store/value');
      expect(answer.body.toString()).toBe(value);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    });
  }

  test('a number of a million digits', async () => {
    const value = `0.${'7'.repeat(1_000_000)}`;
    expect((await call('PUT /api/store/long', value)).status).toBe(201);
    expect((await call('GET /api/store/long')).body.equals(Buffer.from(value))).toBe(true);
  });

  test('in a listing too', async () => {
    const values = ['1e400', '{"a":1,"a":2}', '12345678901234567890', '"\\ud800"'];
    for (const [index, value] of values.entries()) await call(`PUT /api/store/listed-${index}`, value);
    const {body} = await call('GET /api/keys?prefix=listed-&values=true');
    for (const value of values) expect(body.toString()).toContain(`"value":${value}}`);
  });

  test('without surrounding white space, but with inner white space', async () => {
    await call('PUT /api/store/space', ' \r\n\t{ "a" : 1 }\n ');
    expect((await call('GET /api/store/space')).body.toString()).toBe('{ "a" : 1 }');
  });

  test('whatever the content type is', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'image/png', 'nonsense', '']) {
      expect((await call('POST /api/store/typed', '{"a":1}', [`Content-Type: ${type}`])).status, type).toBe(200);
      expect((await call('GET /api/store/typed')).body.toString()).toBe('{"a":1}');
    }
  });
});

describe('property names are data (B2)', () => {
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf', 'then', '$ref']) {
    test(`${name} as a key, absent and present`, async () => {
      expect((await call(`GET /api/store/${name}`)).status).toBe(404);
      const value = `{"${name}":{"polluted":1}}`;
      expect((await call(`PUT /api/store/${name}`, value)).status).toBe(201);
      expect((await call(`GET /api/store/${name}`)).body.toString()).toBe(value);
      expect((await call(`GET /api/keys?prefix=${name}`)).json).toMatchObject({entries: [{key: name}]});
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect((await call(`DELETE /api/store/${name}`)).status).toBe(200);
      expect((await call(`GET /api/store/${name}`)).status).toBe(404);
    });
  }
});

describe('invalid JSON or UTF-8 is refused with its position (B4)', () => {
  const refused = [
    {name: 'an empty body', body: '', position: 0},
    {name: 'only white space', body: '  \n', position: 3},
    {name: 'a byte that is not UTF-8', body: bytes(0x22, 0xff, 0x22), position: 1},
    {name: 'an overlong slash', body: bytes(0x22, 0xc0, 0xaf, 0x22), position: 1},
    {name: 'a surrogate in UTF-8', body: bytes(0x22, 0xed, 0xa0, 0x80, 0x22), position: 1},
    {name: 'a character cut short', body: bytes(0x22, 0xe2, 0x82, 0x22), position: 1},
    {name: 'a byte order mark', body: '\ufeff1', position: 0},
    {name: 'UTF-16', body: bytes(0x31, 0x00), position: 1},
    {name: 'UTF-16 with a mark', body: bytes(0xff, 0xfe, 0x31, 0x00), position: 0},
    {name: 'bytes after the value', body: '{} x', position: 3},
    {name: 'two values', body: '1 2', position: 2},
    {name: 'NaN', body: 'NaN', position: 0},
    {name: 'Infinity', body: '-Infinity', position: 1},
    {name: 'undefined', body: 'undefined', position: 0},
    {name: 'a comment', body: '[1, /* two */ 2]', position: 4},
    {name: 'a comma too many', body: '[1,]', position: 3},
    {name: 'a leading zero', body: '01', position: 1},
    {name: 'a plus', body: '+1', position: 0},
    {name: 'a bare point', body: '.5', position: 0},
    {name: 'single quotes', body: "'a'", position: 0},
    {name: 'a line break in a text', body: '"a\nb"', position: 2},
    {name: 'a form', body: 'a=1&b=2', position: 0},
    {name: 'a truncated object', body: '{"a":', position: 5},
  ];
  for (const {name, body, position} of refused) {
    test(name, async () => {
      const answer = await call('POST /api/store/refused', body);
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({code: 'invalid-json', position});
      expect((await call('GET /api/store/refused')).status).toBe(404);
    });
  }

  test('a request without any body', async () => {
    expect((await call('POST /api/store/refused')).json).toMatchObject({code: 'invalid-json', position: 0});
  });
});
