import type {Driver, EngineAnswer, EngineReadOptions, PairRange} from './engine/driver.ts';

/** Size from which an answer is large, in bytes, and the number of them on their way at once: more would be late behind each other. */
const LARGE_BYTES = 256 * 1024;
const LARGE_READS_MAX = 4;

/** Reads of an engine in which the large ones wait for each other. Writers and followers of the change log do not: they have their time. */
export class LimitedReads implements Pick<Driver, 'read'> {
  readonly #driver: Pick<Driver, 'read'>;
  #large = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(driver: Pick<Driver, 'read'>) {
    this.#driver = driver;
  }

  async read(asked: readonly PairRange[], options: EngineReadOptions = {}): Promise<EngineAnswer> {
    if ((options.bytes ?? 0) < LARGE_BYTES) return this.#driver.read(asked, options);
    if (++this.#large > LARGE_READS_MAX) await new Promise<void>(resolve => this.#waiting.push(resolve));
    try {
      return await this.#driver.read(asked, options);
    } finally {
      this.#large--;
      this.#waiting.shift()?.();
    }
  }
}
