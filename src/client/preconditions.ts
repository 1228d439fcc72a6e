import type {Transaction} from '../domain/entries.ts';
import {type Expectation, type GivenRevision, NO_REVISION} from '../domain/entry.ts';
import type {PinnedStore} from './pinned-store.ts';

/** The headers of a write that expects something. */
export function preconditionOf(
  expected: Expectation | undefined,
  store: PinnedStore,
): Readonly<Record<string, string>> {
  if (expected === undefined) return {};
  if (expected === 'absent') return {'If-None-Match': '*'};
  if (expected === 'present') return {'If-Match': '*'};
  const given = listOf(expected);
  // An empty list would be no header at all, and then the write would always happen.
  const tags = (given.length === 0 ? [NO_REVISION] : given).map(each => `"${store.format(each)}"`);
  return {'If-Match': tags.join(', ')};
}

/** Whether a precondition needs to know its store: the tag of a bare revision matches nothing. */
export function needsStore(expected: Expectation | undefined): boolean {
  if (expected === undefined || typeof expected === 'string') return false;
  return listOf(expected).some(given => typeof given === 'number' && given !== NO_REVISION);
}

function listOf(expected: GivenRevision | readonly GivenRevision[]): readonly GivenRevision[] {
  return Array.isArray(expected) ? expected : [expected as GivenRevision];
}

/**
 * Whether a write with this precondition may be sent again: once it happened, it does not hold any more. One of several
 * revisions may hold again later, and that there is an entry says nothing of what is in it.
 */
export function isRepeatable(expected: Expectation | undefined): boolean {
  return expected === 'absent' || (expected !== 'present' && expected !== undefined && !Array.isArray(expected));
}

/** Whether a transaction changes what it checks, so that it cannot happen again. */
export function happensOnce({checks = [], operations}: Transaction): boolean {
  const kinds = new Map(operations.map(({key, kind}) => [key, kind]));
  return checks.some(({key, expected}) => {
    const kind = kinds.get(key);
    // Deleting what is not there changes nothing.
    return kind !== undefined && (kind !== 'delete' || expected !== 'absent');
  });
}
