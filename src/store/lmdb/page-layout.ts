/**
 * The layout of LMDB's pages on a 64-bit machine (mdb.c of the version that the library brings: MDB_page, MDB_node, MDB_meta,
 * MDB_db, MDB_ovpage). All numbers are little-endian; positions inside a page count from the end of its header.
 */
export const PAGE_FIELDS = {
  number: 0,
  transaction: 8,
  flags: 18,
  lower: 20,
  upper: 22,
  overflowPages: 20,
  header: 24,
} as const;

/** A record, or a reference to a page below. */
export const NODE = {sizeLow: 0, sizeHigh: 2, flags: 4, keySize: 6, header: 8} as const;

/** One of the two meta pages, which describe the state after a transaction. */
export const META = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeDatabase: 48,
  mainDatabase: 96,
  lastPage: 144,
  transaction: 152,
  sizeBytes: 160,
} as const;

/** A table: the list of free pages, the table of tables, or one of these. */
export const DATABASE = {records: 32, root: 40, sizeBytes: 48} as const;

/** Number of meta pages, at the beginning of the file. */
export const META_PAGES = 2;

/** Root of an empty tree. */
export const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** Returns the meta page of the last transaction, as the engine chooses it: the first one if both are equal (mdb_pick_meta). */
export function currentMeta(first: Buffer, second: Buffer): Buffer {
  return transactionOf(first) >= transactionOf(second) ? first : second;
}

/** Returns the transaction that wrote a meta page. */
export function transactionOf(meta: Buffer): bigint {
  return meta.readBigUInt64LE(META.transaction);
}
