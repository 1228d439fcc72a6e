import {type Contract, runContract} from '../../../src/testing/shared/contract.ts';
import {ENTRIES_EXPIRY} from './expiry.ts';
import {ENTRIES_FORMS} from './forms.ts';
import {ENTRIES_LISTING, ENTRIES_RANGES} from './listing.ts';
import type {OpenedEntries} from './opened-entries.ts';
import {ENTRIES_PATCHES} from './patches.ts';
import {ENTRIES_TRANSACTIONS} from './transactions.ts';
import {ENTRIES_CONDITIONS, ENTRIES_KEYS, ENTRIES_VALUES} from './values.ts';

/** Entries to test; with the default limits for values. */
export type EntriesContract = Contract<OpenedEntries>;

/**
 * Tests everything that `Entries` promise, in the same process or over a network. Each test opens
 * entries of its own.
 */
export function testEntries(contract: EntriesContract): void {
  runContract(contract, [
    ENTRIES_VALUES,
    ENTRIES_FORMS,
    ENTRIES_KEYS,
    ENTRIES_CONDITIONS,
    ENTRIES_PATCHES,
    ENTRIES_TRANSACTIONS,
    ENTRIES_EXPIRY,
    ENTRIES_LISTING,
    ENTRIES_RANGES,
  ]);
}
