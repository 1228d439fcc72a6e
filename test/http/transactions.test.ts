import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import {bearer, createToken} from '../support/access-tokens.ts';
import {exchange, formatRequest, type RawAnswer} from '../support/raw-client.ts';
import {useService} from '../support/service.ts';

const service = useService({valueBytesMax: 1000, valueDepthMax: 4});

function transact(body: string | undefined, headers: readonly string[] = []): Promise<RawAnswer> {
  const {port} = service();
  return exchange({port}, formatRequest('POST /api/transactions', [`Host: localhost:${port}`, ...headers], body));
}

async function readText(key: string): Promise<string | undefined> {
  const entry = await service().crewroom.entries.get(key);
  return entry === undefined ? undefined : Buffer.from(entry.json).toString();
}

describe('a transaction', () => {
  test('is applied as a whole, and answers its revision', async () => {
    const {entries} = service().crewroom;
    const {revision} = await entries.put('whole-a', Buffer.from('{"id":9007199254740993}'));
    const answer = await transact(
      `{"checks": [{"key": "whole-a", "revision": "${revision}"}, {"key": "whole-b", "absent": true}],
        "operations": [{"kind": "patch", "key": "whole-a", "patch": {"b": 1.0}},
                       {"kind": "put", "key": "whole-b", "value": [ 1e400 ,-0 ] },
                       {"kind": "delete", "key": "whole-c"}]}`,
    );
    expect([answer.status, answer.json]).toEqual([
      200,
      {revision: String(revision + 1), etag: `"${service().crewroom.storeId}-${revision + 1}"`},
    ]);
    expect(await readText('whole-a')).toBe('{"id":9007199254740993,"b":1.0}');
    expect(await readText('whole-b')).toBe('[ 1e400 ,-0 ]');
    expect((await entries.get('whole-a'))?.revision).toBe((await entries.get('whole-b'))?.revision);
  });

  test('is known by its id to its caller alone', async () => {
    const body = '{"id":"of-two","operations":[{"kind":"put","key":"of-two","value":1}]}';
    const tokens = await Promise.all([0, 1].map(() => createToken(service(), ['entries:write:'])));
    const callers = [[], ...tokens.map(token => [bearer(token)])];
    const revisions: unknown[] = [];
    for (const headers of [...callers, ...callers]) {
      const {status, json} = await transact(body, headers);
      expect(status).toBe(200);
      revisions.push(json['revision']);
    }
    expect(revisions.slice(3)).toEqual(revisions.slice(0, 3));
    expect(new Set(revisions).size).toBe(3);
    const other = await transact(body.replace('"value":1', '"value":2'));
    expect([other.status, other.json]).toMatchObject([422, {code: 'invalid-body', what: 'transaction'}]);
    expect(await readText('of-two')).toBe('1');
  });

  test('accepts members in any order and with any escapes, and property names as data', async () => {
    const body = String.raw`{"operations":[{"value":{"__proto__":{"polluted":1}},"key":"__proto__","k\u0069nd":"p\u0075t"},
      {"key":"é\u00e9\ud83d\ude00","kind":"put","value":"\ud800"}]}`;
    expect((await transact(body)).status).toBe(200);
    expect(await readText('__proto__')).toBe('{"__proto__":{"polluted":1}}');
    expect(await readText('éé😀')).toBe(String.raw`"\ud800"`);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    await service().crewroom.entries.delete('__proto__');
  });

  test('with failed checks reports every one, and changes nothing', async () => {
    const {revision} = await service().crewroom.entries.put('conflict', 1);
    const answer = await transact(
      '{"checks":[{"key":"conflict","absent":true},{"key":"conflict-b","revision":"7"}],"operations":[{"kind":"delete","key":"conflict"}]}',
    );
    expect(answer.status).toBe(412);
    expect(answer.json).toMatchObject({
      code: 'revision-conflict',
      conflicts: [
        {key: 'conflict', expected: 'absent', actual: String(revision)},
        {key: 'conflict-b', expected: '7', actual: 'absent'},
      ],
    });
    expect(await readText('conflict')).toBe('1');
  });

  test('keeps the text of any value, byte for byte', async () => {
    const space = fc.constantFrom('', ' ', '\n\t');
    const number = fc.constantFrom('1.0', '-0', '12345678901234567890', '1e400', '0.10');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.oneof(fc.json({maxDepth: 2}), number), space), {maxLength: 8}),
        async values => {
          const operations = values.map(
            ([text, gap], index) => `{"kind":"put",${gap}"value":${gap}${text}${gap},"key":"any-${index}"}${gap}`,
          );
          expect((await transact(`{"operations":[${operations.join(',')}]}`)).status).toBe(200);
          for (const [index, [text]] of values.entries()) expect(await readText(`any-${index}`)).toBe(text);
        },
      ),
      {numRuns: 50},
    );
  });
});

const deep = '[[[[[]]]]]';
const REFUSED = [
  {name: 'an empty body', body: '', status: 400, failure: {code: 'invalid-json', position: 0}},
  {name: 'invalid JSON', body: '{"operations":[}', status: 400, failure: {code: 'invalid-json', position: 15}},
  {
    name: 'a byte order mark',
    body: '\ufeff{"operations":[]}',
    status: 400,
    failure: {code: 'invalid-json', position: 0},
  },
  {
    name: 'a document that is not an object',
    body: '[]',
    status: 422,
    failure: {code: 'invalid-body', what: 'transaction', problems: [{path: '$', problem: 'has to be an object'}]},
  },
  {
    name: 'missing, repeated, mistyped and unknown members, and reports each',
    body: `{"checks":[{"key":1,"revision":"1"},{"key":"a","revision":12},{"key":"b","absent":1},{"key":"c"},{"key":"d","absent":true,"x y":1},7],
            "operations":[{"kind":"put","key":"a"},{"kind":"delete","key":"b","key":"c"},{"kind":"move","key":"d","to":"e"},{"key":"f"},
                          {"kind":"patch","patch":1},{"kind":"delete","key":"g","value":1}],"checks":[],"__proto__":1}`.replace(
      ',"checks":[]',
      '',
    ),
    status: 422,
    failure: {
      code: 'invalid-body',
      what: 'transaction',
      problems: [
        {path: '$.__proto__', problem: 'is not known here'},
        {path: '$.checks[0].key', problem: 'has to be a string'},
        {path: '$.checks[1].revision', problem: 'has to be a string'},
        {path: '$.checks[2].absent', problem: 'has to be true'},
        {path: '$.checks[3].revision', problem: 'is missing'},
        {path: '$.checks[4]["x y"]', problem: 'is not known here'},
        {path: '$.checks[5]', problem: 'has to be an object'},
        {path: '$.operations[0].value', problem: 'is missing'},
        {path: '$.operations[1].key', problem: 'occurs more than once'},
        {path: '$.operations[2].kind', problem: 'has to be "put", "patch", "touch" or "delete"'},
        {path: '$.operations[3].kind', problem: 'is missing'},
        {path: '$.operations[4].key', problem: 'is missing'},
        {path: '$.operations[5].value', problem: 'is not known here'},
      ],
    },
  },
  {
    name: 'an invalid revision',
    body: '{"checks":[{"key":"a","revision":"\\"1\\""},{"key":"b","revision":"-1"},{"key":"c","revision":"1e3"}],"operations":[]}',
    status: 422,
    failure: {
      code: 'invalid-body',
      what: 'transaction',
      problems: ['a', 'b', 'c'].map((_, index) => ({
        path: `$.checks[${index}].revision`,
        problem: 'has to be a revision, such as "12"',
      })),
    },
  },
  {
    name: 'a key twice, whatever its escapes',
    body: '{"operations":[{"kind":"delete","key":"a"},{"kind":"put","key":"\\u0061","value":1}]}',
    status: 422,
    failure: {
      code: 'invalid-body',
      what: 'transaction',
      problems: [{path: '$.operations[1].key', problem: 'is the same as $.operations[0].key'}],
    },
  },
  {
    name: 'half of a surrogate pair as a key',
    body: '{"operations":[{"kind":"delete","key":"\\ud800"}]}',
    status: 400,
    failure: {code: 'invalid-key', problem: 'it contains half of a surrogate pair'},
  },
  {
    name: 'a value that is too large',
    body: `{"operations":[{"kind":"put","key":"a","value":"${'x'.repeat(999)}"}]}`,
    status: 413,
    failure: {code: 'too-large', what: 'value', max: 1000},
  },
  {
    name: 'a value that is too deep',
    body: `{"operations":[{"kind":"put","key":"a","value":${deep}}]}`,
    status: 422,
    failure: {code: 'value-too-deep', depthMax: 4, position: 51},
  },
  {
    name: 'a patch that makes a value too deep',
    body: '{"operations":[{"kind":"put","key":"a","value":1},{"kind":"patch","key":"deep","patch":{"a":{"a":{"a":{"a":[]}}}}}]}',
    status: 422,
    failure: {code: 'value-too-deep', depthMax: 4},
  },
];

describe('a transaction is refused, with nothing done, for', () => {
  for (const {name, body, status, failure} of REFUSED) {
    test(name, async () => {
      const before = await service().crewroom.entries.list();
      const answer = await transact(body);
      expect(answer.status).toBe(status);
      expect(answer.json).toMatchObject(failure);
      expect(await service().crewroom.entries.list()).toEqual(before);
    });
  }

  test('a document that is too large, before it is read', async () => {
    const answer = await transact(undefined, [`Content-Length: ${DEFAULT_LIMITS.transactionBytesMax + 1}`]);
    expect([answer.status, answer.json]).toMatchObject([
      413,
      {code: 'too-large', what: 'transaction', max: DEFAULT_LIMITS.transactionBytesMax},
    ]);
  });

  test('a document with very many problems, in a short answer', async () => {
    const answer = await transact(`{"operations":[${'{"x":1,"y":2},'.repeat(900)}{}]}`);
    expect(answer.status).toBe(422);
    expect((answer.json as unknown as {problems: unknown[]}).problems).toHaveLength(100);
  });

  test('half a million operations', async () => {
    const answer = await transact(`{"operations":[${'{},'.repeat(500_000)}{}]}`);
    expect(answer.json).toMatchObject({
      problems: [{path: '$.operations', problem: 'has more than 1000 elements'}],
    });
  });

  test('too many parts, before the rest is parsed', async () => {
    const many = '0,'.repeat(1001);
    for (const body of [
      `{"operations":[${many}nonsense`,
      `{"checks":[${many}nonsense`,
      `{${'"x":0,'.repeat(17)}nonsense`,
    ])
      expect((await transact(body)).json).toMatchObject({code: 'invalid-body', what: 'transaction'});
  });

  test('a hundred thousand unknown members', async () => {
    const unknown = Array.from({length: 100_000}, (_, index) => `"n${index}":1`).join(',');
    expect((await transact(`{${unknown},"operations":[]}`)).json).toMatchObject({
      problems: [{path: '$', problem: 'has more than 16 elements'}],
    });
    expect((await transact(`{"operations":[{"kind":"delete","key":"a"},{${unknown}}]}`)).json).toMatchObject({
      problems: [{path: '$.operations[1]', problem: 'has more than 16 elements'}],
    });
  });

  test('millions of brackets, at once', async () => {
    const answer = await transact('['.repeat(2_000_000));
    expect(answer.json).toMatchObject({code: 'value-too-deep', depthMax: 4});
  });

  test('a content type or an encoding that cannot be JSON', async () => {
    for (const header of ['Content-Type: multipart/form-data; boundary=x', 'Content-Encoding: gzip'])
      expect((await transact('{"operations":[]}', [header])).json).toMatchObject({code: 'unsupported-body'});
    expect((await transact('{"operations":[]}', ['Content-Type: text/plain'])).status).toBe(200);
  });
});
