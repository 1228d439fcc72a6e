import fc from 'fast-check';
import type {Commit, Expiry, Operation} from '../../src/core/domain/commits/commit.ts';
import type {Expectation} from '../../src/core/domain/entries/entry.ts';
import {key, patch, put, remove} from '../contracts/shared/assertions.ts';

// Few keys and revisions, so that commits meet each other.
/** Keys of all steps. */
export const STEP_KEYS = ['a', 'a/', 'a/b', 'b', '__proto__', '\uffff', '😀'];
const anyKey = fc.constantFrom(...STEP_KEYS);
const anyExpectation: fc.Arbitrary<Expectation> = fc.oneof(
  fc.constantFrom('absent', 'present'),
  fc.nat(12),
  fc.array(fc.nat(12), {maxLength: 3}),
);
// Values as JSON.stringify writes them, so that a model can patch them by parsing.
const anyMember = fc.constantFrom('a', 'b', '__proto__', 'é');
const anyPatch = fc
  .oneof(
    {weight: 4, arbitrary: fc.dictionary(anyMember, fc.constantFrom(null, 1, 'x', [null], {}, {a: null, b: 2}))},
    {weight: 1, arbitrary: fc.constantFrom(null, 7, [1, null])},
  )
  .map(value => JSON.stringify(value));
const anyExpiry: fc.Arbitrary<Expiry | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.integer({min: 1, max: 5}).map(ttlSeconds => ({kind: 'after', ttlSeconds}) as const),
);
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.tuple(anyKey, fc.json(), anyExpiry).map(([text, json, expiry]) => ({...put(text, json), expiry})),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(anyKey, anyExpiry).map(([text, expiry]) => ({kind: 'touch', key: key(text), expiry}) as const),
  },
  {weight: 2, arbitrary: fc.tuple(anyKey, fc.json()).map(([text, json]) => put(text, json))},
  {weight: 1, arbitrary: anyKey.map(remove)},
  {weight: 2, arbitrary: fc.tuple(anyKey, anyPatch).map(([text, json]) => patch(text, json))},
);
const anyCommit: fc.Arbitrary<Commit> = fc.record({
  checks: fc.oneof(
    {weight: 3, arbitrary: fc.constant([])},
    {
      weight: 2,
      arbitrary: fc.uniqueArray(fc.record({key: anyKey.map(key), expected: anyExpectation}), {
        maxLength: 2,
        selector: check => check.key,
      }),
    },
  ),
  operations: fc.uniqueArray(anyOperation, {maxLength: 4, selector: operation => operation.key}),
});

/** One step of a history. */
export type Step =
  | {readonly kind: 'commits'; readonly commits: readonly Commit[]}
  | {readonly kind: 'reopen'}
  | {readonly kind: 'sweep'}
  /** Time passes, or the clock of the machine is set, forward or back. */
  | {readonly kind: 'pass' | 'set'; readonly ms: number}
  | {readonly kind: 'changes'; readonly after: number; readonly limit: number};

/** Any step of a history. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(anyCommit, {minLength: 1, maxLength: 4}).map(commits => ({kind: 'commits', commits})),
  },
  {weight: 1, arbitrary: fc.constant({kind: 'reopen'})},
  {weight: 1, arbitrary: fc.constant({kind: 'sweep'})},
  {weight: 3, arbitrary: fc.nat(8).map(halves => ({kind: 'pass', ms: halves * 500}))},
  {weight: 1, arbitrary: fc.integer({min: -20, max: 6}).map(seconds => ({kind: 'set', ms: seconds * 1000}))},
  {
    weight: 2,
    arbitrary: fc.record({kind: fc.constant('changes'), after: fc.nat(20), limit: fc.integer({min: 1, max: 5})}),
  },
) as fc.Arbitrary<Step>;
