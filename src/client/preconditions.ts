import type {Transaction} from '../domain/entries.ts';
import {type Expectation, type GivenRevision, NO_REVISION} from '../domain/entry.ts';
import {formatRevision} from '../domain/store-id.ts';

/** The headers of a write that expects something. */
export function preconditionOf(expected: Expectation | undefined): Readonly<Record<string, string>> {
  if (expected === undefined) return {};
  if (expected === 'absent') return {'If-None-Match': '*'};
  if (expected === 'present') return {'If-Match': '*'};
  const given: readonly GivenRevision[] = Array.isArray(expected) ? expected : [expected];
  // An empty list would be no header at all, and then the write would always happen.
  return {'If-Match': (given.length === 0 ? [NO_REVISION] : given).map(formatTag).join(', ')};
}

function formatTag(given: GivenRevision): string {
  return `"${typeof given === 'number' ? given : formatRevision(given)}"`;
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
