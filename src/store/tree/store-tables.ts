import {decodeMetadata, METADATA_KEY, type StoreMetadata} from '../format/store-metadata.ts';
import type {LmdbEnvironment} from '../lmdb/environment.ts';
import type {Table} from '../lmdb/table.ts';

/** The tables of a store. */
export interface StoreTables {
  /** Entry records by key. */
  readonly entries: Table;
  /** Records of the change log by revision. */
  readonly changes: Table;
  /** Commits with an id: see `commit-rows.ts`. */
  readonly commits: Table;
  /** Entries that expire, by time. */
  readonly expiries: Table;
  /** One record: see `store-metadata.ts`. */
  readonly metadata: Table;
}

/** Returns the tables of an opened environment. */
export function openTables(environment: LmdbEnvironment): StoreTables {
  return environment.tables(['entries', 'changes', 'commits', 'expiries', 'metadata']);
}

/** Reads the metadata of a store from its table. @returns Undefined if there are none, or they are damaged. */
export function readMetadata(table: Table): StoreMetadata | undefined {
  const record = table.get(METADATA_KEY);
  return record === undefined ? undefined : decodeMetadata(record);
}
