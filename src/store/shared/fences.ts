import type {Range} from '../../core/domain/entries/identifiers.ts';
import type {KeyRange, PairRange, StoredPair} from './engine/driver.ts';
import {FENCED_ENTRIES} from './engine/engine-keys.ts';

/** The fences of a range of entries that were read last, as keys of entries, in its direction. */
interface KnownFences extends KeyRange {
  readonly reverse: boolean;
  readonly keys: readonly string[];
  /** True if there are no more in the range. */
  readonly isWhole: boolean;
}

type Direction = Pick<Range, 'limit' | 'after' | 'reverse'>;

/**
 * The ends of reads of entries. An engine may look at all keys of a range whatever its limit, and at their values if the last come first; so what is
 * read ends at a fence beyond the limit. They are of one state: in another one many entries may lie between two of them.
 */
export class Fences {
  readonly #ahead: number;
  #known: KnownFences | undefined;

  /** @param ahead Number of fences that are read at once for a list that goes on. @default {as many as it needs} */
  constructor(ahead = 0) {
    this.#ahead = ahead;
  }

  /** Returns what is to be read so that {@link part} is known; nothing if it is. */
  unknown({limit, after, reverse = false}: Direction, {from, to}: KeyRange): readonly PairRange[] {
    if (from >= to || this.part({limit, reverse}, {from, to}) !== undefined) return [];
    // One more: it may begin at a fence.
    const count = Math.max(fencesFor(limit, reverse) + 1, after === undefined ? 0 : this.#ahead);
    return [{from: `f${from.slice(1)}`, to: `f${to.slice(1)}`, limit: count, keysOnly: true, reverse}];
  }

  /** Learns what was read for {@link unknown}. */
  learn([asked]: readonly PairRange[], [fences = []]: readonly (readonly StoredPair[])[]): void {
    if (asked === undefined) return;
    const {from, to = '', limit, reverse = false} = asked;
    const keys = fences.map(({key}) => `e${key.slice(1)}`);
    const isWhole = keys.length < Number(limit);
    this.#known = {from: `e${from.slice(1)}`, to: `e${to.slice(1)}`, reverse, keys, isWhole};
  }

  /**
   * Returns the part of a range that is read next: mostly it has as many entries as the limit, if the range has them.
   *
   * @returns Undefined if the fences are not known.
   */
  part({limit, reverse = false}: Direction, range: KeyRange): KeyRange | undefined {
    const {from, to} = range;
    const known = this.#known;
    if (known === undefined || known.reverse !== reverse || from < known.from || to > known.to) return undefined;
    const end = known.keys.filter(key => (reverse ? key < to : key > from))[fencesFor(limit, reverse) - 1];
    if (end === undefined && !known.isWhole) return undefined;
    if (end === undefined || end <= from || end >= to) return range;
    return reverse ? {from: end, to} : {from, to: end};
  }
}

/** Number of the fence at which a read of some entries ends: mostly beyond them. From the end an engine also looks at the values, so there at fewer. */
function fencesFor(limit: number, reverse: boolean): number {
  return 1 + Math.ceil(((reverse ? 1 : 2) * limit) / FENCED_ENTRIES);
}
