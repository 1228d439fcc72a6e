import type {Check} from '../../core/domain/commits/commit.ts';
import type {Expectation} from '../../core/domain/entries/entry.ts';
import {
  type ExpectedRevision,
  formatEntityTag,
  formatRevision,
  type GivenRevision,
  type Key,
  NO_REVISION,
  type Revision,
  revisionIn,
  type StoreId,
  untagged,
} from '../../core/domain/entries/identifiers.ts';
import type {Conflict} from '../../core/failures/members/problems.ts';

/** The part of a store that {@link findConflicts} reads. */
export interface CheckedStore {
  readonly storeId: StoreId;
  /** Returns the revision of the entry of a key, or undefined if there is none. */
  readonly revisionOf: (key: Key) => Revision | undefined;
}

/** Returns the checks that do not hold. */
export function findConflicts(checks: readonly Check[], {storeId, revisionOf}: CheckedStore): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  for (const {key, expected} of checks) {
    const actual = revisionOf(key);
    if (holds(expected, actual, storeId)) continue;
    conflicts.push({
      key,
      expected: describeExpectation(expected, storeId),
      ...(actual === undefined
        ? {actual: 'absent'}
        : {actual: String(actual), etag: formatEntityTag({storeId, revision: actual})}),
    });
  }
  return conflicts;
}

function holds(expected: Expectation, actual: Revision | undefined, storeId: StoreId): boolean {
  if (expected === 'absent') return actual === undefined;
  if (actual === undefined) return false;
  if (expected === 'present') return true;
  return toList(expected).some(given => revisionIn(storeId, given) === actual);
}

/** Formats a revision without its store id if it is of this store. */
function describeRevision(given: GivenRevision, storeId: StoreId): string {
  if (typeof given === 'number' || given.storeId === storeId) return String(revisionIn(storeId, given));
  return formatRevision(given);
}

function toList(expected: ExpectedRevision | readonly ExpectedRevision[]): readonly GivenRevision[] {
  return [expected].flat().map(untagged);
}

function describeExpectation(expected: Expectation, storeId: StoreId): string {
  if (expected === 'absent' || expected === 'present') return expected;
  const revisions = toList(expected).map(given => describeRevision(given, storeId));
  // An empty list never holds; NO_REVISION expresses the same.
  return revisions.length === 0 ? String(NO_REVISION) : revisions.join(' or ');
}
