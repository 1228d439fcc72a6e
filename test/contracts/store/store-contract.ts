import type {Store} from '../../../src/core/domain/commits/store.ts';
import {type Contract, runContract} from '../../../src/workbench/testing/shared/contract.ts';
import {STORE_CALLERS} from './callers.ts';
import {STORE_CHANGES, storeTrimming} from './changes.ts';
import {STORE_CHECKS, STORE_COMMITS} from './commits.ts';
import {type ClockedStore, STORE_EXPIRY, STORE_SWEEPS} from './expiry.ts';
import {type ReopenableStore, STORE_REOPENING, storeIdentity} from './identity.ts';
import {STORE_IDS, STORE_KEPT_IDS, trimmedIds} from './ids.ts';
import {STORE_CONCURRENCY, STORE_LIFECYCLE} from './lifecycle.ts';
import {STORE_LISTING} from './listing.ts';
import {STORE_PATCHES} from './patches.ts';
import {type SharedStores, STORE_SHARING} from './sharing.ts';
import {STORE_FOLLOWING, STORE_SNAPSHOT_AGE, STORE_SNAPSHOTS} from './snapshots.ts';
import {STORE_VALUES} from './values.ts';

/** A store to test. */
export interface StoreContract extends Contract<Store> {
  /**
   * Maximum number of changes in the log of an opened store. Up to 1,000 the tests include changes that were
   * trimmed.
   */
  readonly logChangesMax?: number | undefined;
  /** Opens an empty store with a clock that a test sets. If given, the tests include the expiry of entries. */
  readonly openClocked?: (() => Promise<ClockedStore>) | undefined;
  /** Opens an empty store that keeps its content. If given, the tests include opening it again. */
  readonly openReopenable?: (() => Promise<ReopenableStore>) | undefined;
  /** Opens two stores on the same, empty data. If given, the tests include what each sees of the commits of the other. */
  readonly openShared?: (() => Promise<SharedStores>) | undefined;
}

/** Maximum size of a log that tests fill, in changes: a larger one takes too long. */
const FILLED_LOG_MAX = 1000;

/** Tests everything that the `Store` port promises. Each test opens a store of its own. */
export function testStore(contract: StoreContract): void {
  const {logChangesMax = Infinity} = contract;
  runContract(contract, [
    STORE_VALUES,
    STORE_COMMITS,
    STORE_CHECKS,
    STORE_PATCHES,
    STORE_LISTING,
    STORE_CHANGES,
    STORE_CALLERS,
    STORE_IDS,
    ...(logChangesMax <= FILLED_LOG_MAX ? [storeTrimming(logChangesMax), trimmedIds(logChangesMax)] : []),
    STORE_FOLLOWING,
    STORE_SNAPSHOTS,
    STORE_CONCURRENCY,
    STORE_LIFECYCLE,
    storeIdentity(contract.open),
  ]);
  const {openClocked, openReopenable, openShared} = contract;
  if (openClocked !== undefined)
    runContract({...contract, open: openClocked}, [STORE_EXPIRY, STORE_SWEEPS, STORE_SNAPSHOT_AGE]);
  if (openReopenable !== undefined) runContract({...contract, open: openReopenable}, [STORE_REOPENING, STORE_KEPT_IDS]);
  if (openShared !== undefined) runContract({...contract, open: openShared}, [STORE_SHARING]);
}
