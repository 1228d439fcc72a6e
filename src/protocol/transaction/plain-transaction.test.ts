import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {SAMPLE_TEXTS} from '../../../test/contracts/shared/samples.ts';
import type {Transaction} from '../../domain/entries.ts';
import {KEY_BYTES_MAX, TTL_SECONDS_MAX} from '../../domain/fixed-limits.ts';
import {AppError} from '../../failures/app-error.ts';
import {readPlainTransaction} from './plain-transaction.ts';
import {readAnyTransaction, readTransaction} from './read-transaction.ts';
import {formatTransaction} from './write-transaction.ts';

const LIMITS = {valueDepthMax: 3, transactionChecksMax: 3, transactionOperationsMax: 4};
const READING = {limits: LIMITS, pause: () => Promise.resolve()};

type Read = (body: Uint8Array) => Promise<Transaction>;

/** The transaction with its values as texts, or the failure. */
async function outcomeOf(read: Read, body: Uint8Array): Promise<unknown> {
  try {
    const {checks, operations} = await read(body);
    return {checks, operations: operations.map(readable)};
  } catch (error) {
    if (error instanceof AppError) return error.failure;
    throw error;
  }
}

function readable(operation: Transaction['operations'][number]): unknown {
  return 'json' in operation && operation.json instanceof Uint8Array
    ? {...operation, json: Buffer.from(operation.json).toString('latin1')}
    : operation;
}

/** Draws texts that are accepted, mostly, so that whole documents are. */
function mostly(accepted: readonly string[], ...others: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.oneof({weight: 8, arbitrary: fc.constantFrom(...accepted)}, ...others);
}

const SPACE = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n');
const KEYS = mostly(
  ['"a"', '"a/b"', '"}"', '"a,\'"'],
  fc.constantFrom('"\\u0061"', '"\\""', '"é"', '""', '".."', '1', '"a\u0001"', '"a\u007f"', '"\\'),
  fc.integer({min: KEY_BYTES_MAX - 1, max: KEY_BYTES_MAX + 1}).map(length => `"${'k'.repeat(length)}"`),
);
const VALUES = mostly(
  ['1', '-0', '1e400', '"x"', '"é\\n"', 'true', 'null', '{}', '[]', '{"a":1,"a":2}', '[[[1]]]', '{"key":"a"}', '"}],"'],
  fc.constantFrom('01', '"\u0001"', 'tru', 'nulll', '[1,]', '[[[[1]]]]', '"\ud800"', '', '"', '1]'),
);
const TTLS = mostly(
  ['1', '60', `${TTL_SECONDS_MAX}`],
  fc.constantFrom('0', '-1', '060', '60.0', '6e1', 'null', '"60"', '', `${TTL_SECONDS_MAX + 1}`, '9999999999'),
);
const REVISIONS = mostly(
  ['"12"', '"0"', '"3f9c2a7b01d4e856-12"'],
  fc.constantFrom('"012"', '"x-1"', '12', '"\\u0031"', '""'),
);

/** Members of an object: mostly those of a plain document, in any order, and maybe missing, unknown or twice. */
function objectOf(members: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> {
  const all = Object.entries(members).map(([name, value]) => fc.tuple(fc.constant(`"${name}"`), value));
  const usual = fc.tuple(...all);
  const other = fc.array(fc.oneof(...all, fc.tuple(fc.constant('"other"'), VALUES)), {maxLength: 6});
  return fc
    .tuple(fc.oneof({weight: 8, arbitrary: usual}, {weight: 1, arbitrary: other}), SPACE)
    .map(
      ([list, space]) =>
        `{${space}${list.map(pair => pair.join(`${space}:${space}`)).join(`${space},${space}`)}${space}}`,
    );
}

const WORDS = fc.constantFrom('"put"', '"put"', '"delete"', '"touch"', '"patch"', '"pu"', '"\\u0070ut"');
const OPERATION = fc.oneof(
  {weight: 4, arbitrary: objectOf({kind: fc.constant('"put"'), key: KEYS, value: VALUES})},
  {weight: 2, arbitrary: objectOf({kind: fc.constant('"put"'), key: KEYS, value: VALUES, ttlSeconds: TTLS})},
  objectOf({kind: fc.constant('"put"'), key: KEYS, ttlSeconds: TTLS, value: VALUES}),
  {weight: 4, arbitrary: objectOf({kind: fc.constant('"delete"'), key: KEYS})},
  objectOf({kind: fc.constant('"patch"'), key: KEYS, patch: VALUES}),
  objectOf({kind: fc.constant('"touch"'), key: KEYS, ttlSeconds: TTLS}),
  objectOf({key: KEYS, kind: WORDS, value: VALUES}),
  VALUES,
);
const CHECK = fc.oneof(
  objectOf({key: KEYS, revision: REVISIONS}),
  objectOf({key: KEYS, absent: fc.constantFrom('true', 'true', 'true', 'true', 'false', '"true"', 'truee')}),
);
const listOf = (element: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(element, {maxLength: 5}), SPACE)
    .map(([list, space]) => `[${space}${list.join(`${space},`)}${space}]`);

const DOCUMENT = fc
  .tuple(
    SPACE,
    fc.oneof(
      objectOf({operations: listOf(OPERATION)}),
      objectOf({checks: listOf(CHECK), operations: listOf(OPERATION)}),
      objectOf({operations: listOf(OPERATION), checks: listOf(CHECK)}),
    ),
    fc.constantFrom('', '', '', '', '', ' ', '\n', ',', '}', 'x', '\u0000'),
  )
  .map(parts => Buffer.from(parts.join('')));

/** Documents, some of them with one byte changed, added or removed. */
const BODY = fc.oneof(
  DOCUMENT,
  fc.tuple(DOCUMENT, fc.nat(), fc.nat(255), fc.constantFrom(0, 1, 2)).map(([document, place, byte, change]) => {
    const at = place % (document.length + 1);
    const added = change === 0 ? [] : [byte];
    return Buffer.concat([document.subarray(0, at), Buffer.from(added), document.subarray(change === 1 ? at : at + 1)]);
  }),
);

describe('readTransaction()', () => {
  test('accepts and refuses what the reader of any document does, in the same way', async () => {
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(BODY, async body => {
        if (readPlainTransaction(body, LIMITS) !== undefined) plain++;
        const read = await outcomeOf(each => readTransaction(each, READING), body);
        expect(read).toEqual(await outcomeOf(each => readAnyTransaction(each, READING), body));
      }),
      {numRuns: 3000},
    );
    // Otherwise only one reader was tested.
    expect(plain).toBeGreaterThan(100);
  });

  test('agrees about documents that lack any part', async () => {
    const document =
      '{"checks":[{"key":"b","absent":true},{"key":"c","revision":"12"}],' +
      '"operations":[{"kind":"put","key":"a","value":1,"ttlSeconds":10},{"kind":"delete","key":"d"}]}';
    const tokens = document.match(/"[^"]*"|[0-9]+|true|[{}[\]:,]/g) ?? [];
    for (let first = 0; first < tokens.length; first++)
      for (let last = first; last < tokens.length; last++) {
        const body = Buffer.from(tokens.filter((_, at) => at < first || at > last).join(''));
        const read = await outcomeOf(each => readTransaction(each, READING), body);
        expect(read, body.toString()).toEqual(await outcomeOf(each => readAnyTransaction(each, READING), body));
      }
  });

  test('reads what the client writes without an index of the document', () => {
    const transaction: Transaction = {
      checks: [
        {key: 'a', expected: 'absent'},
        {key: 'b', expected: 12},
      ],
      operations: [
        {kind: 'put', key: 'a', json: '{"a": [1.0]}', ttlSeconds: 60},
        {kind: 'put', key: 'com.example.hello/b c', json: '"x"', ttlSeconds: undefined},
        {kind: 'delete', key: 'd'},
      ],
    };
    const text = formatTransaction(transaction, String);
    for (const written of [text, `\n ${text} `]) {
      const read = readPlainTransaction(Buffer.from(written), LIMITS);
      const operations = transaction.operations.map(each =>
        readable('json' in each ? {...each, json: Buffer.from(String(each.json))} : each),
      );
      expect(read && {...read, operations: read.operations.map(readable)}).toEqual({...transaction, operations});
    }
  });

  test('reads every value that the other reader does', () => {
    const limits = {...LIMITS, valueDepthMax: 1000};
    for (const text of SAMPLE_TEXTS) {
      const body = Buffer.from(`{"operations":[{"kind":"put","key":"a","value":${text}}]}`);
      expect(readPlainTransaction(body, limits)?.operations).toEqual([
        {kind: 'put', key: 'a', json: Buffer.from(text), ttlSeconds: undefined},
      ]);
    }
  });

  const OTHERS = [
    {name: 'a value twice', text: '{"operations":[{"kind":"put","key":"a","value":1,"value":2}]}'},
    {
      name: 'a time to live twice',
      text: '{"operations":[{"kind":"put","key":"a","ttlSeconds":1,"value":1,"ttlSeconds":2}]}',
    },
    {name: 'a key that is not ASCII', text: '{"operations":[{"kind":"delete","key":"é"}]}'},
    {name: 'a patch', text: '{"operations":[{"kind":"patch","key":"a","patch":{}}]}'},
    {name: 'checks behind the operations', text: '{"operations":[],"checks":[]}'},
    {name: 'more behind it', text: '{"operations":[]}1'},
  ];
  for (const {name, text} of OTHERS)
    test(`leaves ${name} to the reader of any document`, async () => {
      const body = Buffer.from(text);
      expect(readPlainTransaction(body, LIMITS)).toBe(undefined);
      const read = await outcomeOf(each => readTransaction(each, READING), body);
      expect(read).toEqual(await outcomeOf(each => readAnyTransaction(each, READING), body));
    });
});
