import {type Contract, runContract} from '../../../src/workbench/testing/shared/contract.ts';
import {ENTRIES_EXPIRY} from './expiry.ts';
import {ENTRIES_FORMS} from './forms.ts';
import {ENTRIES_HISTORY} from './history.ts';
import {ENTRIES_LISTING, ENTRIES_RANGES} from './listing.ts';
import type {OpenedEntries} from './opened-entries.ts';
import {ENTRIES_OPTION_NAMES} from './option-names.ts';
import {ENTRIES_PATCHES} from './patches.ts';
import {ENTRIES_REVISIONS} from './revisions.ts';
import {ENTRIES_TRANSACTIONS} from './transactions.ts';
import {ENTRIES_CONDITIONS, ENTRIES_KEYS, ENTRIES_VALUES} from './values.ts';

const PARTS = [
  ENTRIES_VALUES,
  ENTRIES_FORMS,
  ENTRIES_KEYS,
  ENTRIES_CONDITIONS,
  ENTRIES_REVISIONS,
  ENTRIES_PATCHES,
  ENTRIES_TRANSACTIONS,
  ENTRIES_EXPIRY,
  ENTRIES_LISTING,
  ENTRIES_RANGES,
  ENTRIES_HISTORY,
  ENTRIES_OPTION_NAMES,
];

/** Entries to test; with the default limits for values. */
export type EntriesContract = Contract<OpenedEntries>;

/**
 * Tests everything that `Entries` promise, in the same process or over a network. Each test opens
 * entries of its own.
 */
export function testEntries(contract: EntriesContract): void {
  runContract(contract, PARTS);
}

/**
 * Tests one promise of each part: of entries that are only put together differently, of parts that pass the whole contract, their own or that of
 * the store, in another place.
 */
export function testComposedEntries(contract: EntriesContract): void {
  runContract(
    contract,
    PARTS.map(part => ({...part, tests: part.tests.slice(0, 1)})),
  );
}
