import {type JsonLimits, TooBroad} from './json-limits.ts';
import {decodeBeginning} from './json-string.ts';

const OPEN_ARRAY = 0x5b;

/** Maximum length of a name in the path of {@link TooBroad}, in UTF-16 units; longer names are cut. */
const PATH_NAME_LENGTH_MAX = 64;

/** Counts the elements and members on the outermost levels of a text, up to their limits. */
export class JsonBreadth {
  /** Number of levels that are counted. */
  readonly levels: number;
  readonly #bytes: Uint8Array;
  readonly #brackets: readonly number[];
  readonly #breadthMax: readonly number[];
  /** For each open level with a limit, its number of commas, and the position of its last name. */
  readonly #commas: number[] = [];
  readonly #names: number[] = [];

  /** @param brackets For each open level the position of its bracket. The caller keeps it current. */
  constructor(bytes: Uint8Array, brackets: readonly number[], {breadthMax = []}: JsonLimits) {
    this.levels = breadthMax.length;
    this.#bytes = bytes;
    this.#brackets = brackets;
    this.#breadthMax = breadthMax;
  }

  /** Starts to count on the innermost level. */
  open(): void {
    this.#commas[this.#brackets.length - 1] = 0;
  }

  /** Keeps the name of the next member of the innermost level. */
  keepName(at: number): void {
    this.#names[this.#brackets.length - 1] = at;
  }

  /**
   * Counts a comma of the innermost level.
   *
   * @throws {TooBroad} If one more element exceeds the limit.
   */
  countComma(): void {
    const level = this.#brackets.length - 1;
    const breadthMax = this.#breadthMax[level] ?? 0;
    const commas = (this.#commas[level] ?? 0) + 1;
    this.#commas[level] = commas;
    if (commas < breadthMax) return;
    throw new TooBroad(
      this.#brackets.slice(0, level).map((_, around) => this.#placeOn(around)),
      breadthMax,
    );
  }

  /** Returns the index or name of the element that is being read on a level. */
  #placeOn(level: number): PropertyKey {
    if (this.#bytes[this.#brackets[level] ?? 0] === OPEN_ARRAY) return this.#commas[level] ?? 0;
    const [start = 0] = this.#names.slice(level);
    return decodeBeginning(this.#bytes, start, PATH_NAME_LENGTH_MAX);
  }
}
