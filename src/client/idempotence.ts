import type {Transaction} from '../core/domain/entries/entries.ts';
import type {Expectation} from '../core/domain/entries/entry.ts';

/**
 * Returns whether a write with this precondition is idempotent: once it has happened, the precondition no longer holds. One of
 * several revisions may hold again later, and `present` does not depend on the value.
 */
export function isIdempotent(expected: Expectation | undefined): boolean {
  return expected !== 'present' && expected !== undefined && !Array.isArray(expected);
}

/** Returns whether a transaction is idempotent: it has an id, or changes an entry that it checks, so that it cannot happen again. */
export function isIdempotentTransaction({id, checks = [], operations}: Transaction): boolean {
  if (id !== undefined) return true;
  return checks.some(({key, expected}) =>
    // Deleting a missing entry changes nothing.
    operations.some(operation => operation.key === key && (operation.kind !== 'delete' || expected !== 'absent')),
  );
}
