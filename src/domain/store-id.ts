import type {GivenRevision, Revision, StoreRevision} from './entry.ts';

declare const storeIdBrand: unique symbol;

/**
 * The identity of a store, checked: see {@link parseStoreId}. Created at random with the store. It tells apart two stores,
 * or two histories of one store, that use the same revisions.
 */
export type StoreId = string & {readonly [storeIdBrand]: true};

/** Random bytes of an id. With 64 bits, two of a million stores have the same id with a probability below 10^-7. */
export const STORE_ID_BYTES = 8;

/** Lower-case letters and digits, so that "-" can follow it. Stores of other authors may have longer ids. */
const STORE_ID = /^[0-9a-z]{1,32}$/;
/** The form of a revision: as many digits as a number holds exactly. */
const REVISION = /^(?:0|[1-9][0-9]{0,14})$/;

/**
 * Makes the id of a new store from {@link STORE_ID_BYTES} random bytes.
 *
 * @example
 * ```ts
 * import {createStoreId} from 'crewroom';
 *
 * console.log(createStoreId(Uint8Array.of(63, 156, 42, 123, 1, 212, 232, 86))); // 3f9c2a7b01d4e856
 * ```
 */
export function createStoreId(random: Uint8Array): StoreId {
  return Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('') as StoreId;
}

/**
 * Reads a store id: 1 to 32 lower-case letters and digits.
 *
 * @example
 * ```ts
 * import {parseStoreId} from 'crewroom';
 *
 * console.log(parseStoreId('3f9c2a7b01d4e856'), parseStoreId('A B')); // 3f9c2a7b01d4e856 undefined
 * ```
 * @returns Undefined for anything else.
 */
export function parseStoreId(text: string): StoreId | undefined {
  return STORE_ID.test(text) ? (text as StoreId) : undefined;
}

/**
 * Writes a revision with the id of its store, such as `3f9c2a7b01d4e856-12`.
 *
 * @example
 * ```ts
 * import {formatRevision, parseRevision} from 'crewroom';
 *
 * const given = parseRevision('3f9c2a7b01d4e856-12');
 * console.log(typeof given === 'object' && formatRevision(given)); // 3f9c2a7b01d4e856-12
 * ```
 */
export function formatRevision({storeId, revision}: StoreRevision): string {
  return `${storeId}-${revision}`;
}

/**
 * Reads a revision as callers give it: bare, such as `12`, or with the id of its store, such as `3f9c2a7b01d4e856-12`.
 *
 * @returns Undefined for anything else.
 * @example
 * ```ts
 * import {parseRevision} from 'crewroom';
 *
 * console.log(parseRevision('12'), parseRevision('012')); // 12 undefined
 * ```
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
 * Returns the revision within a given store. A bare revision is accepted unchecked.
 *
 * @returns Undefined for a revision of another store.
 * @example
 * ```ts
 * import {parseStoreId, revisionIn} from 'crewroom';
 *
 * const storeId = parseStoreId('a');
 * const other = parseStoreId('b');
 * console.log(revisionIn(storeId, {storeId, revision: 12}), revisionIn(other, {storeId, revision: 12})); // 12 undefined
 * ```
 */
export function revisionIn(storeId: StoreId, given: GivenRevision): Revision | undefined {
  if (typeof given === 'number') return given;
  return given.storeId === storeId ? given.revision : undefined;
}
