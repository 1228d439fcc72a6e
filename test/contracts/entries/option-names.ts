import assert from 'node:assert/strict';
import type {Entries, ListAllOptions} from '../../../src/core/domain/entries/entries.ts';
import {listAll} from '../../../src/core/domain/entries/list-all.ts';
import type {Failure} from '../../../src/core/failures/failure.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {textOf} from '../shared/assertions.ts';
import type {OpenedEntries} from './opened-entries.ts';

/** Calls with a name that the types do not have, as a program in JavaScript writes it, and the hint at the one that was meant. */
const REFUSED: readonly {
  readonly call: (entries: Entries, unknown: never) => unknown;
  readonly unknown: object;
  readonly hint: RegExp;
}[] = [
  {call: (entries, unknown) => entries.get('a', unknown), unknown: {shema: {}}, hint: /; it has .*\bschema\b/},
  {call: (entries, unknown) => entries.put('a', 2, unknown), unknown: {ttl: 5}, hint: /; it has .*\bttlSeconds\b/},
  {call: (entries, unknown) => entries.put('a', 2, unknown), unknown: {ifMatch: 9}, hint: /; it has expected, ttl/},
  {
    call: (entries, unknown) => entries.patch('a', {b: 1}, unknown),
    unknown: {expect: 9},
    hint: /; it has .*\bexpected\b/,
  },
  {call: (entries, unknown) => entries.delete('a', unknown), unknown: {ifMatch: 9}, hint: /; it has expected/},
  {call: (entries, unknown) => entries.list(unknown), unknown: {perfix: 'b'}, hint: /; it has .*\bprefix\b/},
  {call: (entries, unknown) => entries.history('a', unknown), unknown: {afer: '1'}, hint: /; it has .*\bafter\b/},
  {call: (entries, unknown) => entries.listAll(unknown), unknown: {limit: 5}, hint: /; it has .*\bpageLimit\b/},
  {
    call: (entries, unknown) => entries.deleteRange(unknown),
    unknown: {prefix: 'a', perfix: 'b'},
    hint: /; it has .*\bprefix\b/,
  },
  {
    call: (entries, unknown) => entries.transact(unknown),
    unknown: {check: [{key: 'a', expected: 'absent'}], operations: [{kind: 'delete', key: 'a'}]},
    hint: /; it has .*\bchecks\b/,
  },
  {
    call: (entries, unknown) => entries.transact(unknown),
    unknown: {checks: [{key: 'a', expected: 1, revison: 9}], operations: [{kind: 'delete', key: 'a'}]},
    hint: /; it has key, expected$/,
  },
  {
    call: (entries, unknown) => entries.transact(unknown),
    unknown: {operations: [{kind: 'put', key: 'a', value: 2, ttl: 5}]},
    hint: /; it has .*\bttlSeconds\b/,
  },
  {
    call: (entries, unknown) => entries.transact(unknown),
    unknown: {operations: [{kind: 'delete', key: 'a', expected: 9}]},
    hint: /; it has kind, key$/,
  },
];

/** Names of options that the types do not have: ignored, a condition or a time to live would not hold. */
export const ENTRIES_OPTION_NAMES: ContractPart<OpenedEntries> = {
  name: 'names of options',
  tests: [
    ...REFUSED.map(({call, unknown, hint}, index) => ({
      name: `refuses one that is unknown, and changes nothing: ${index + 1}, ${Object.keys(unknown).join(' and ')}`,
      async run({entries}: OpenedEntries) {
        await entries.put('a', 1);
        // The cast of a program without types.
        const begun = async (): Promise<unknown> => call(entries, unknown as never);
        await assert.rejects(begun, ({failure}: {readonly failure: Extract<Failure, {code: 'invalid-parameter'}>}) => {
          assert.equal(failure.code, 'invalid-parameter');
          assert.match(failure.problem, /^the operation has no such parameter; /);
          assert.match(failure.problem, hint);
          return true;
        });
        assert.equal(textOf(await entries.get('a')), '1');
      },
    })),
    {
      name: 'refuses one of the pages of a list that was wrapped',
      async run({entries}) {
        const misspelt = {perfix: 'b'} as ListAllOptions;
        await assert.rejects(async () => listAll(entries, misspelt)[Symbol.asyncIterator]().next(), /perfix/);
      },
    },
  ],
};
