import type {Entry} from '../../domain/entries/entry.ts';
import type {Key} from '../../domain/entries/key.ts';
import {AppError} from '../../failures/app-error.ts';
import {decodeEntryRecord, decodeEntryState} from '../format/entry-record.ts';
import type {EntryState} from '../format/entry-state.ts';
import {isPageDamage} from '../lmdb/engine-errors.ts';
import type {StoreTables} from './store-tables.ts';

/** Reads an entry from the tree. @throws {AppError} `entry-corrupt`. */
export function readStoredEntry({entries}: StoreTables, key: Key): Entry | undefined {
  const record = withCorruptKey(key, () => entries.get(Buffer.from(key)));
  return record === undefined ? undefined : decodeEntryRecord(key, record);
}

/** Reads the state of an entry from the tree. @throws {AppError} `entry-corrupt` if its page is damaged. */
export function readStoredState({entries}: StoreTables, key: Key): EntryState | undefined {
  const record = withCorruptKey(key, () => entries.peek(Buffer.from(key)));
  return record === undefined ? undefined : decodeEntryState(key, record);
}

function withCorruptKey<T>(key: Key, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    throw new AppError({code: 'entry-corrupt', key}, {cause: error});
  }
}
