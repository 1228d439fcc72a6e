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

/** Creates the id of a new store from {@link STORE_ID_BYTES} random bytes. */
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
