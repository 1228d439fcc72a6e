// Limits that clients check too, in a file of their own, so that bundles for browsers leave out all others.

/**
 * Longest key, in UTF-8 bytes. The embedded engine takes up to 1,978 bytes at its default page size; the rest is reserved for
 * names of plugins.
 */
export const KEY_BYTES_MAX = 512;

/** Longest time to live, in seconds: ten years of 365 days. */
export const TTL_SECONDS_MAX = 10 * 365 * 24 * 60 * 60;

/** Maximum number of operations in a transaction: as many as a page of a listing has entries. */
export const TRANSACTION_OPERATIONS_MAX = 1000;
