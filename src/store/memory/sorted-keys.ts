import {countBefore} from '../../domain/binary-search.ts';
import {compareKeys} from '../../domain/entries/key.ts';

/** Maximum number of keys in a block; a larger one is split. Moving so few keys costs less than finding their position. */
const BLOCK_KEYS_MAX = 1024;

/** Returns whether a key comes before a position: true up to some key of the order, false from there on. */
export type IsBefore<T> = (key: T) => boolean;

/** Texts in the order of their UTF-8 bytes: an array in blocks, so that adding one never moves all others. */
export class SortedKeys<T extends string> {
  /** No block is empty, unless it is the only one. */
  readonly #blocks: T[][];

  constructor(blocks: T[][] = [[]]) {
    this.#blocks = blocks;
  }

  /** Returns a copy that later changes do not affect. */
  copy(): SortedKeys<T> {
    return new SortedKeys(this.#blocks.map(block => [...block]));
  }

  /** Adds a key that is missing. */
  add(key: T): void {
    const {index, block, at} = this.#find(other => compareKeys(other, key) < 0);
    block.splice(at, 0, key);
    if (block.length > BLOCK_KEYS_MAX) this.#blocks.splice(index + 1, 0, block.splice(BLOCK_KEYS_MAX / 2));
  }

  /** Removes a key that is present. */
  remove(key: T): void {
    // The position after the key is in its own block; the position before it may be the end of another.
    const {index, block, at} = this.#find(other => compareKeys(other, key) <= 0);
    block.splice(at - 1, 1);
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(index, 1);
  }

  /** Iterates over the keys from a position on. Nothing may be added or removed meanwhile. */
  *after(isBefore: IsBefore<T>): Generator<T> {
    const {index, at} = this.#find(isBefore);
    for (const [next, block] of this.#blocks.slice(index).entries()) yield* next === 0 ? block.slice(at) : block;
  }

  /** Iterates over the keys before a position, from the last to the first. Nothing may be added or removed meanwhile. */
  *before(isBefore: IsBefore<T>): Generator<T> {
    const {index, at} = this.#find(isBefore);
    for (const [next, block] of this.#blocks
      .slice(0, index + 1)
      .toReversed()
      .entries())
      yield* (next === 0 ? block.slice(0, at) : block).toReversed();
  }

  /** Removes all keys. */
  clear(): void {
    this.#blocks.splice(0, this.#blocks.length, []);
  }

  /** Finds the block with the last key before a position, and the position in it. */
  #find(isBefore: IsBefore<T>): {readonly index: number; readonly block: T[]; readonly at: number} {
    const index = Math.max(0, countBefore(this.#blocks, ([first]) => first !== undefined && isBefore(first)) - 1);
    const block = this.#blocks[index] as T[];
    return {index, block, at: countBefore(block, isBefore)};
  }
}
