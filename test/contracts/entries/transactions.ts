import assert from 'node:assert/strict';
import type {Transaction} from '../../../src/core/domain/entries/entries.ts';
import {DEFAULT_LIMITS} from '../../../src/core/domain/limits.ts';
import type {Failure} from '../../../src/core/failures/failure.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, assertFailsWith, textOf} from '../shared/assertions.ts';
import {SAMPLE_KEYS, SAMPLE_TEXTS} from '../shared/samples.ts';
import type {OpenedEntries} from './opened-entries.ts';

const put = (key: string, json: string | Uint8Array = '1') => ({kind: 'put', key, value: Buffer.from(json)}) as const;
const remove = (key: string) => ({kind: 'delete', key}) as const;
const patch = (key: string, text: string) => ({kind: 'patch', key, patch: Buffer.from(text)}) as const;
const many = <T>(count: number, make: (key: string) => T): readonly T[] =>
  Array.from({length: count}, (_, index) => make(`key ${index}`));

const TOO_LARGE: Failure = {code: 'too-large', what: 'transaction', max: DEFAULT_LIMITS.transactionBytesMax};
const LARGEST = `"${'x'.repeat(DEFAULT_LIMITS.valueBytesMax - 2)}"`;

const REFUSED: readonly {readonly name: string; readonly transaction: Transaction; readonly failure: Failure}[] = [
  {
    name: 'more operations than allowed',
    transaction: {operations: many(DEFAULT_LIMITS.transactionOperationsMax + 1, put)},
    failure: {
      code: 'invalid-body',
      what: 'transaction',
      problems: [{path: '$.operations', problem: 'has more than 1000 elements'}],
    },
  },
  {
    name: 'more checks than allowed',
    transaction: {
      checks: many(DEFAULT_LIMITS.transactionChecksMax + 1, key => ({key, expected: 'absent'})),
      operations: [],
    },
    failure: {
      code: 'invalid-body',
      what: 'transaction',
      problems: [{path: '$.checks', problem: 'has more than 1000 elements'}],
    },
  },
  {
    name: 'a key twice, and reports each',
    transaction: {
      checks: [
        {key: 'b', expected: 'absent'},
        {key: 'b', expected: 1},
      ],
      operations: [put('b'), remove('c'), patch('b', '{}'), put('c')],
    },
    failure: {
      code: 'invalid-body',
      what: 'transaction',
      problems: [
        {path: '$.checks[1].key', problem: 'is the same as $.checks[0].key'},
        {path: '$.operations[2].key', problem: 'is the same as $.operations[0].key'},
        {path: '$.operations[3].key', problem: 'is the same as $.operations[1].key'},
      ],
    },
  },
  {
    name: 'an invalid key',
    transaction: {operations: [put('b'), remove('..')]},
    failure: {code: 'invalid-key', key: '..', problem: 'URL clients remove it from a path'},
  },
  {
    name: 'an invalid key among the checks',
    transaction: {checks: [{key: 'a\nb', expected: 'absent'}], operations: []},
    failure: {code: 'invalid-key', key: 'a\nb', problem: 'it contains a control character'},
  },
  {
    name: 'a value that is not JSON, whatever it would be in a document',
    transaction: {operations: [put('b', '1},{"kind":"delete","key":"a"')]},
    failure: {code: 'invalid-json', problem: 'expected the end of the text, found "}"', position: 1},
  },
  {
    name: 'a patch that is not JSON',
    transaction: {operations: [put('b'), patch('a', '')]},
    failure: {code: 'invalid-json', problem: 'expected a value, found the end of the text', position: 0},
  },
  {
    name: 'a value that is too large',
    transaction: {operations: [put('b'), put('c', LARGEST.replace('x', 'xx'))]},
    failure: {code: 'too-large', what: 'value', max: DEFAULT_LIMITS.valueBytesMax},
  },
  {
    name: 'a patch that makes a value too large',
    transaction: {operations: [put('b'), patch('a', `{"b":${LARGEST.replace('xxxxxxxxxx', '')}}`)]},
    failure: {code: 'too-large', what: 'value', max: DEFAULT_LIMITS.valueBytesMax},
  },
  {
    name: 'values that are too large together',
    transaction: {operations: many(9, key => put(key, LARGEST))},
    failure: TOO_LARGE,
  },
];

/** All or nothing, under one revision. */
export const ENTRIES_TRANSACTIONS: ContractPart<OpenedEntries> = {
  name: 'transactions',
  tests: [
    {
      name: 'applies every operation under one revision',
      async run({entries}) {
        await entries.put('gone', 1);
        await entries.put('patched', Buffer.from('{"a":1.0}'));
        const operations = [put('put', '-0'), remove('gone'), patch('patched', '{"b":2}'), remove('absent')];
        assert.equal((await entries.transact({operations})).revision, 3);
        const {entries: found} = await entries.list({values: true});
        assert.deepEqual(
          found.map(entry => [entry.key, textOf(entry), entry.revision]),
          [
            ['patched', '{"a":1.0,"b":2}', 3],
            ['put', '-0', 3],
          ],
        );
      },
    },
    {
      name: 'keeps every value and every key exactly',
      async run({entries}) {
        await entries.transact({operations: SAMPLE_TEXTS.map((text, index) => put(`value ${index}`, ` ${text}\n`))});
        for (const [index, text] of SAMPLE_TEXTS.entries())
          assert.equal(textOf(await entries.get(`value ${index}`)), text);
        await entries.transact({operations: SAMPLE_KEYS.map(key => put(key, JSON.stringify(key)))});
        for (const key of SAMPLE_KEYS) assert.equal(textOf(await entries.get(key)), JSON.stringify(key));
        await entries.transact({operations: SAMPLE_KEYS.map(remove)});
        for (const key of SAMPLE_KEYS) assert.equal(await entries.get(key), undefined);
      },
    },
    {
      name: 'happens only if every check holds, and reports each that does not',
      async run({entries}) {
        await entries.put('a', 1);
        await entries.put('b', 1);
        const checks = [
          {key: 'a', expected: 1},
          {key: 'b', expected: 1},
          {key: 'c', expected: 'absent'},
          {key: 'd', expected: 7},
          {key: '__proto__', expected: 0},
        ] as const;
        await assertFails(entries.transact({checks, operations: [put('a', '2'), put('c')]}), {
          code: 'revision-conflict',
          conflicts: [
            {key: 'b', expected: '1', actual: '2'},
            {key: 'd', expected: '7', actual: 'absent'},
            {key: '__proto__', expected: '0', actual: 'absent'},
          ],
        });
        assert.deepEqual([textOf(await entries.get('a')), await entries.get('c')], ['1', undefined]);
        await entries.transact({checks: [checks[0], checks[2]], operations: [put('a', '2'), put('c')]});
        assert.equal((await entries.get('c'))?.revision, 3);
      },
    },
    {
      name: 'takes no revision if nothing changes',
      async run({entries}) {
        assert.equal((await entries.transact({operations: []})).revision, 0);
        await entries.put('a', 1);
        const checks = [{key: 'a', expected: 1}] as const;
        assert.equal((await entries.transact({checks, operations: []})).revision, 1);
        assert.equal((await entries.transact({operations: [remove('absent')]})).revision, 1);
        assert.equal((await entries.put('a', 2)).revision, 2);
      },
    },
    {
      name: 'accepts the maximum number of operations and checks, and values up to their limits',
      async run({entries}) {
        const {length} = many(DEFAULT_LIMITS.transactionOperationsMax, put);
        const checks = many(DEFAULT_LIMITS.transactionChecksMax, key => ({key, expected: 'absent'}) as const);
        await entries.transact({checks, operations: many(length, key => put(key, JSON.stringify(key)))});
        assert.equal(textOf(await entries.get('key 999')), '"key 999"');
        const deepest = `${'['.repeat(DEFAULT_LIMITS.valueDepthMax)}${']'.repeat(DEFAULT_LIMITS.valueDepthMax)}`;
        await entries.transact({operations: [put('largest', LARGEST), put('deepest', deepest)]});
        assert.equal(textOf(await entries.get('deepest')), deepest);
        assert.equal((await entries.get('largest'))?.sizeBytes, DEFAULT_LIMITS.valueBytesMax);
      },
    },
    {
      name: 'copies bytes at the call',
      async run({entries}) {
        const bytes = new TextEncoder().encode('"first"');
        const written = entries.transact({operations: [put('a', bytes)]});
        bytes.fill(0x58);
        await written;
        assert.equal(textOf(await entries.get('a')), '"first"');
      },
    },
    {
      name: 'moves an amount between two entries without losing any of it, during concurrent moves',
      async run({entries}) {
        await entries.transact({operations: [put('from', '100'), put('to', '0')]});
        const moved = await Promise.all(Array.from({length: 8}, () => moveOne(entries, 5)));
        const total = moved.reduce((sum, count) => sum + count, 0);
        assert.equal(textOf(await entries.get('from')), String(100 - total));
        assert.equal(textOf(await entries.get('to')), String(total));
        assert.ok(total >= 5, 'of many concurrent attempts, one succeeds each time');
      },
    },
    ...REFUSED.map(({name, transaction, failure}) => ({
      name: `refuses ${name}, and applies nothing`,
      run: async ({entries}: OpenedEntries) => {
        const before = '{"a":"xxxxxxxx"}';
        await entries.put('a', Buffer.from(before));
        await assertFails(entries.transact(transaction), failure);
        const page = await entries.list({values: true});
        assert.deepEqual(page.entries.map(textOf), [before]);
      },
    })),
    {
      name: 'answers a transaction that is sent again with its id as before, and applies it once',
      async run({entries}) {
        const transaction = {id: 'an-id', operations: [put('a'), remove('b')]};
        const {revision} = await entries.transact(transaction);
        await entries.put('a', Buffer.from('2'));
        const again = await Promise.all([transaction, transaction].map(each => entries.transact(each)));
        assert.deepEqual(
          again.map(each => each.revision),
          [revision, revision],
        );
        assert.equal(textOf(await entries.get('a')), '2');
      },
    },
    {
      name: 'tries a refused transaction anew, and refuses other content under the id of an applied one',
      async run({entries}) {
        const transaction: Transaction = {
          id: 'an-id',
          checks: [{key: 'b', expected: 'absent'}],
          operations: [put('a'), patch('c', '{"n":1}')],
        };
        await entries.put('b', Buffer.from('1'));
        await assertFailsWith(entries.transact(transaction), 'revision-conflict');
        await entries.delete('b');
        await entries.transact(transaction);
        const problem = {path: '$.id', problem: 'is that of another transaction'};
        const failure: Failure = {code: 'invalid-body', what: 'transaction', problems: [problem]};
        for (const other of [
          {...transaction, checks: []},
          {...transaction, operations: [put('a')]},
          {...transaction, operations: [put('a'), patch('c', '{"n":2}')]},
        ])
          await assertFails(entries.transact(other), failure);
        assert.equal(textOf(await entries.get('c')), '{"n":1}');
      },
    },
    {
      name: 'refuses a value that nests too deep',
      async run({entries}) {
        // The place in the request, and so the position, differs.
        await assertFailsWith(
          entries.transact({operations: [put('a', '['.repeat(257) + ']'.repeat(257))]}),
          'value-too-deep',
        );
      },
    },
    {
      name: 'refuses patches that together write more than allowed',
      async run({entries}) {
        for (const {key} of many(3, put))
          await entries.put(key, Buffer.from(`{"a":${LARGEST.replace('xxxxxxxxxx', '')}}`));
        const operations = (count: number) => many(count, key => patch(key, '{"a":null}'));
        await assertFails(entries.transact({operations: operations(3)}), TOO_LARGE);
        await entries.transact({operations: operations(1)});
        assert.equal(textOf(await entries.get('key 0')), '{}');
        assert.notEqual(textOf(await entries.get('key 1')), '{}');
      },
    },
  ],
};

/** Attempts this many times to move one from an entry to the other. @returns The number of successes. */
async function moveOne(entries: OpenedEntries['entries'], tries: number): Promise<number> {
  let moved = 0;
  for (let index = 0; index < tries; index++) {
    const [from, to] = [await entries.get('from'), await entries.get('to')];
    assert.ok(from !== undefined && to !== undefined);
    const transaction = {
      checks: [
        {key: 'from', expected: from.revision},
        {key: 'to', expected: to.revision},
      ],
      operations: [put('from', String(Number(textOf(from)) - 1)), put('to', String(Number(textOf(to)) + 1))],
    };
    const code = await entries.transact(transaction).then(
      () => 'moved' as const,
      ({failure}: {readonly failure?: Failure}) => failure?.code,
    );
    assert.ok(code === 'moved' || code === 'revision-conflict', code);
    if (code === 'moved') moved++;
  }
  return moved;
}
