import type {Store} from '../../../domain/commits/store.ts';
import type {Log} from '../../../domain/log.ts';
import {type Driver, isEngineFailure} from '../engine/driver.ts';
import {unavailable} from '../engine/open-head.ts';
import {openSharedStore} from '../shared-store.ts';
import type {SharedStoreDeps} from '../shared-store-deps.ts';
import {assertMembers} from './assert-members.ts';
import {type EtcdDriverOptions, openEtcdDriver} from './etcd-driver.ts';

export interface EtcdStoreOptions extends EtcdDriverOptions, Omit<SharedStoreDeps, 'driver' | 'owned'> {
  readonly log: Log;
  /** Closed after the store, and also if it cannot be opened. */
  readonly owned: readonly AsyncDisposable[];
}

/**
 * Opens the store below a prefix of etcd, which other processes may have open too.
 *
 * @throws {AppError} `store-unavailable` if etcd does not answer, refuses this user or is too old, if something else is stored there, or
 *   if the clock of this machine is far ahead.
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  return openSharedStore({...options, driver: await openDriver(options)});
}

async function openDriver(options: EtcdStoreOptions): Promise<Driver> {
  try {
    await assertMembers(options, options);
    return await openEtcdDriver(options);
  } catch (error) {
    for (const each of options.owned) await each[Symbol.asyncDispose]();
    throw isEngineFailure(error) ? unavailable(error) : error;
  }
}
