import fc from 'fast-check';
import {describe, expect, onTestFinished, test} from 'vitest';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import {AppError} from '../../src/core/failures/app-error.ts';
import {parseJsonText} from '../../src/core/json/json-text.ts';
import {formatRequest, RawClient} from '../support/raw-client.ts';
import {useService} from '../support/service.ts';

const service = useService({ephemeral: true});

/** Any key, including those that look like paths, escapes and names of properties. */
const keys = fc
  .oneof(
    fc.string({unit: 'grapheme', minLength: 1, maxLength: 20}),
    fc.string({unit: 'binary', minLength: 1, maxLength: 20}),
    fc.string({
      unit: fc.constantFrom('/', '.', '%', '2', 'e', 'F', '?', '#', '&', '+', ' ', '\\', 'é', 'e\u0301'),
      minLength: 1,
      maxLength: 20,
    }),
    fc.constantFrom('__proto__', 'constructor', '...', '%2e%2e', '../identity', 'x'.repeat(DEFAULT_LIMITS.keyBytesMax)),
  )
  .filter(key => key.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(key) && !['.', '..'].includes(key));

/** Ways to write the same segment: what must be encoded, what may be, and with letters of either case. */
function writeSegment(key: string, encodeAll: boolean, upperCase: boolean): string {
  const all = encodeAll
    ? [...Buffer.from(key)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
    : encodeURIComponent(key);
  return upperCase
    ? all.replace(/%../g, triplet => triplet.toUpperCase())
    : all.replace(/%../g, triplet => triplet.toLowerCase());
}

/** White space of JSON. */
const spaces = fc.string({unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3});

const digits = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({unit: fc.constantFrom(...'0123456789'), minLength, maxLength});

const numbers = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      digits(0, 1000).map(rest => `7${rest}`),
    ),
    fraction: fc.oneof(
      fc.constant(''),
      digits(1, 1000).map(rest => `.${rest}`),
    ),
    exponent: fc.oneof(
      fc.constant(''),
      digits(1, 5).map(rest => `e${rest}`),
      digits(1, 5).map(rest => `E-${rest}`),
    ),
  })
  .map(({sign, whole, fraction, exponent}) => sign + whole + fraction + exponent);

const strings = fc
  .array(
    fc.oneof(
      fc.string({unit: 'grapheme', maxLength: 4}).map(text => JSON.stringify(text).slice(1, -1)),
      fc.constantFrom(
        '\\/',
        '\\b',
        '\\f',
        '\\u0000',
        '\\uD800',
        '\\udc00',
        '\\u0041',
        '\\u00E9',
        '\u007f',
        '\u2028',
        '\ufeff',
      ),
    ),
    {maxLength: 6},
  )
  .map(parts => `"${parts.join('')}"`);

/** JSON texts as other programs write them: with repeated names, any numbers and any spaces. */
const {jsonTexts} = fc.letrec<{jsonTexts: string; arrays: string; objects: string}>(tie => ({
  jsonTexts: fc.oneof(
    {maxDepth: 5},
    fc.constantFrom('null', 'true', 'false'),
    numbers,
    strings,
    tie('arrays'),
    tie('objects'),
  ),
  arrays: fc
    .array(fc.tuple(spaces, tie('jsonTexts'), spaces), {maxLength: 4})
    .map(items => `[${items.map(item => item.join('')).join(',')}]`),
  objects: fc
    .array(
      fc.tuple(
        spaces,
        fc.oneof(strings, fc.constantFrom('"a"', '"__proto__"', '""')),
        spaces,
        fc.constant(':'),
        spaces,
        tie('jsonTexts'),
        spaces,
      ),
      {maxLength: 4},
    )
    .map(members => `{${members.map(member => member.join('')).join(',')}}`),
}));

describe('over HTTP', () => {
  test('keys are returned exactly, in any encoding, and distinct ones stay distinct', async () => {
    const {port, crewroom} = service();
    const client = await RawClient.connect({port});
    const host = `Host: localhost:${port}`;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(keys, {minLength: 1, maxLength: 8}),
        fc.boolean(),
        fc.boolean(),
        async (distinct, encodeAll, upperCase) => {
          for (const key of distinct) {
            const segment = writeSegment(key, encodeAll, upperCase);
            await client.send(formatRequest(`PUT /api/store/${segment}`, [host], JSON.stringify(key)));
            expect((await client.readAnswer()).status).toBe(201);
          }
          for (const key of distinct) {
            await client.send(formatRequest(`GET /api/store/${writeSegment(key, !encodeAll, !upperCase)}`, [host]));
            expect(JSON.parse((await client.readAnswer()).body.toString())).toBe(key);
          }
          const {entries} = await crewroom.entries.list({limit: 1000});
          const expected = [...distinct].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          expect(entries.map(({key}) => key)).toEqual(expected);
          expect(await crewroom.entries.deleteRange({prefix: ''})).toBe(distinct.length);
        },
      ),
      {numRuns: 150},
    );
    client[Symbol.dispose]();
  });

  test('JSON texts are returned byte for byte', async () => {
    const {port} = service();
    const client = await RawClient.connect({port});
    const host = `Host: localhost:${port}`;
    await fc.assert(
      fc.asyncProperty(jsonTexts, spaces, spaces, async (text, before, after) => {
        // The generated texts are valid JSON.
        JSON.parse(text);
        await client.send(formatRequest('PUT /api/store/any', [host], before + text + after));
        expect([200, 201]).toContain((await client.readAnswer()).status);
        await client.send(formatRequest('GET /api/store/any', [host]));
        expect((await client.readAnswer()).body.toString()).toBe(text);
        await client.send(formatRequest('GET /api/keys?prefix=any&values=true', [host]));
        expect((await client.readAnswer()).body.toString()).toContain(`,"value":${text}}]}`);
      }),
      {numRuns: 300},
    );
    client[Symbol.dispose]();
  });

  test('no target, header or body makes the service fail', async () => {
    const {crewroom, port} = service();
    const urls = fc.tuple(
      fc.constantFrom('/', '/api', '/api/store/', '/api/store/k', '/api/keys', '/api/transactions', '/api/identity'),
      fc.string({unit: fc.constantFrom(...'/.%2eF?&=+#;:@\\é'), maxLength: 12}),
    );
    const headerNames = fc.constantFrom(
      'If-Match',
      'If-None-Match',
      'Content-Type',
      'Content-Encoding',
      'Origin',
      'Range',
    );
    const headerValues = fc.string({unit: fc.constantFrom(...'"W/*,1 ab;='), maxLength: 10});
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
        urls,
        fc.dictionary(headerNames, headerValues, {maxKeys: 3}),
        fc.uint8Array({maxLength: 20}),
        async (method, [path, rest], headers, bytes) => {
          const body = method === 'GET' || method === 'HEAD' ? null : Buffer.from(bytes);
          const request = new Request(`http://localhost:${port}${path}${rest}`, {method, headers, body});
          const response = await crewroom.fetch(request);
          expect(response.status).toBeLessThan(500);
          expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
          const text = await response.text();
          const hasProblem = response.status >= 400 && method !== 'HEAD';
          expect(hasProblem ? JSON.parse(text) : {}).toMatchObject(hasProblem ? {status: response.status} : {});
        },
      ),
      {numRuns: 1000},
    );
  });
});

describe('parseJsonText()', () => {
  /** Returns the result of JSON.parse for the same bytes, if they are UTF-8 without a byte order mark. */
  const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});

  function isJson(bytes: Uint8Array): boolean {
    try {
      JSON.parse(decoder.decode(bytes));
      return true;
    } catch {
      return false;
    }
  }

  function accepts(bytes: Uint8Array): boolean {
    try {
      parseJsonText(bytes, {depthMax: 10_000});
      return true;
    } catch (error) {
      if (error instanceof AppError && error.failure?.code === 'invalid-json') {
        const {position = -1} = error.failure;
        if (position < 0 || position > bytes.length) expect.fail(`its position is ${position}`);
        return false;
      }
      throw error;
    }
  }

  /** Bytes with some replaced, removed or put in. */
  const mutated = fc
    .tuple(
      jsonTexts,
      fc.array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'insert'), fc.nat(255)), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([text, changes]) => {
      const bytes = [...Buffer.from(text)];
      for (const [at, change, byte] of changes) {
        const removed = change === 'insert' ? 0 : 1;
        bytes.splice(at % (bytes.length + 1), removed, ...(change === 'remove' ? [] : [byte]));
      }
      return Uint8Array.from(bytes);
    });

  const inputs: readonly (readonly [name: string, bytes: fc.Arbitrary<Uint8Array>])[] = [
    ['texts of JSON', jsonTexts.map(text => Buffer.from(text))],
    ['what JSON.stringify makes', fc.json().map(text => Buffer.from(text))],
    ['texts of JSON with a mistake', mutated],
    ['any bytes', fc.uint8Array({maxLength: 12})],
    [
      'any bytes in quotes',
      fc.uint8Array({maxLength: 6}).map(bytes => Buffer.concat([Buffer.from('"'), bytes, Buffer.from('"')])),
    ],
    ['any text in quotes', fc.string({unit: 'binary', maxLength: 8}).map(text => Buffer.from(`"${text}"`))],
    [
      'characters of JSON in any order',
      fc
        .string({unit: fc.constantFrom(...'{}[]:,"\\ 01-+.eEutrfalsn\n'), maxLength: 12})
        .map(text => Buffer.from(text)),
    ],
  ];
  for (const [name, bytes] of inputs) {
    test(`agrees with JSON.parse on ${name}`, () => {
      fc.assert(
        fc.property(bytes, given => accepts(given) === isJson(given)),
        {numRuns: 3000},
      );
    });
  }

  test('agrees with JSON.parse on every two bytes, and on every two in quotes', () => {
    const quoted = Uint8Array.of(0x22, 0, 0, 0x22);
    // Most of them are refused, and collecting a stack takes longer than the rest.
    const {stackTraceLimit} = Error;
    Error.stackTraceLimit = 0;
    onTestFinished(() => {
      Error.stackTraceLimit = stackTraceLimit;
    });
    for (let pair = 0; pair < 0x10000; pair++) {
      quoted[1] = pair >> 8;
      quoted[2] = pair & 0xff;
      const bare = quoted.subarray(1, 3);
      if (accepts(bare) !== isJson(bare) || accepts(quoted) !== isJson(quoted))
        throw new Error(`It disagrees on 0x${pair.toString(16)}`);
    }
  });

  test('returns a view of the same bytes without surrounding white space', () => {
    fc.assert(
      fc.property(jsonTexts, spaces, spaces, (text, before, after) => {
        const bytes = Buffer.from(before + text + after);
        const parsed = parseJsonText(bytes);
        expect(parsed.buffer).toBe(bytes.buffer);
        expect(Buffer.from(parsed).toString()).toBe(text);
      }),
    );
  });
});
