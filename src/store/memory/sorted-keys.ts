import {compareKeys, type Key} from '../../domain/key.ts';

/** A block that grows beyond this is cut in two: moving so few keys costs less than finding their place. */
const BLOCK_KEYS_MAX = 1024;

/** Says of each key whether it comes before a place: true up to some key of the order, false from there on. */
export type IsBefore = (key: Key) => boolean;

/** Keys in the order of their UTF-8 bytes: an array in blocks, so that adding one never moves all others. */
export class SortedKeys {
  /** None is empty, unless it is the only one. */
  readonly #blocks: Key[][];

  constructor(blocks: Key[][] = [[]]) {
    this.#blocks = blocks;
  }

  /** The same keys, and none of those to come. */
  copy(): SortedKeys {
    return new SortedKeys(this.#blocks.map(block => [...block]));
  }

  /** Adds a key that is not there. */
  add(key: Key): void {
    const {index, block, at} = this.#find(other => compareKeys(other, key) < 0);
    block.splice(at, 0, key);
    if (block.length > BLOCK_KEYS_MAX) this.#blocks.splice(index + 1, 0, block.splice(BLOCK_KEYS_MAX / 2));
  }

  /** Removes a key that is there. */
  remove(key: Key): void {
    // The place behind the key is in its own block; the place before it may be the end of another.
    const {index, block, at} = this.#find(other => compareKeys(other, key) <= 0);
    block.splice(at - 1, 1);
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(index, 1);
  }

  /** The keys from a place on. Nothing may be added or removed meanwhile. */
  *after(isBefore: IsBefore): Generator<Key> {
    const {index, block, at} = this.#find(isBefore);
    for (let next = at; next < block.length; next++) yield block[next] as Key;
    for (let next = index + 1; next < this.#blocks.length; next++) yield* this.#blocks[next] as Key[];
  }

  /** The keys before a place, from the last to the first. Nothing may be added or removed meanwhile. */
  *before(isBefore: IsBefore): Generator<Key> {
    const {index, at} = this.#find(isBefore);
    for (let current = index, end = at; current >= 0; current--, end = Infinity) {
      const block = this.#blocks[current] as Key[];
      for (let next = Math.min(end, block.length) - 1; next >= 0; next--) yield block[next] as Key;
    }
  }

  clear(): void {
    this.#blocks.splice(0, this.#blocks.length, []);
  }

  /** The block with the last key before a place, and the place in it. */
  #find(isBefore: IsBefore): {readonly index: number; readonly block: Key[]; readonly at: number} {
    const index = Math.max(0, countBefore(this.#blocks, ([first]) => first !== undefined && isBefore(first)) - 1);
    const block = this.#blocks[index] as Key[];
    return {index, block, at: countBefore(block, isBefore)};
  }
}

/** How many elements at the beginning fulfil a condition that no later one does. */
export function countBefore<T>(elements: readonly T[], isBefore: (element: T) => boolean): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(elements[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
