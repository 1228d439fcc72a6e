import type {GivenRevision, Revision, StoreRevision} from './entry.ts';

declare const storeIdBrand: unique symbol;

/**
 * The identity of a store, checked: see {@link parseStoreId}. Random, made when the store is created; two stores, or two
 * histories of one, that count the same revisions differ in it.
 */
export type StoreId = string & {readonly [storeIdBrand]: true};

/** Random bytes of an id: with 64 bits no two of a billion stores have the same one, by all odds. */
export const STORE_ID_BYTES = 8;

/** Lower-case letters and digits, so that "-" can end it; other makers of stores may have longer ones. */
const STORE_ID = /^[0-9a-z]{1,32}$/;
/** The form of a revision: as many digits as a number holds exactly. */
const REVISION = /^(?:0|[1-9][0-9]{0,14})$/;

/** Makes the id of a new store from {@link STORE_ID_BYTES} random bytes. */
export function createStoreId(random: Uint8Array): StoreId {
  return Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('') as StoreId;
}

/** Reads a store id: 1 to 32 lower-case letters and digits. @returns Undefined for anything else. */
export function parseStoreId(text: string): StoreId | undefined {
  return STORE_ID.test(text) ? (text as StoreId) : undefined;
}

/** Writes a revision with the id of its store, such as `3f9c2a7b01d4e856-12`. */
export function formatRevision({storeId, revision}: StoreRevision): string {
  return `${storeId}-${revision}`;
}

/**
 * Reads a revision as callers give it: bare, such as `12`, or with the id of its store, such as `3f9c2a7b01d4e856-12`.
 *
 * @returns Undefined for anything else.
 */
export function parseRevision(text: string): GivenRevision | undefined {
  const dash = text.lastIndexOf('-');
  const digits = text.slice(dash + 1);
  if (!REVISION.test(digits)) return undefined;
  if (dash === -1) return Number(digits);
  const storeId = parseStoreId(text.slice(0, dash));
  return storeId && {storeId, revision: Number(digits)};
}

/**
 * The revision in a given store: a bare one is taken to belong to it, unchecked.
 *
 * @returns Undefined for a revision of another store.
 */
export function revisionIn(storeId: StoreId, given: GivenRevision): Revision | undefined {
  if (typeof given === 'number') return given;
  return given.storeId === storeId ? given.revision : undefined;
}
