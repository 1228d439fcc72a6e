import type {ApiDocument} from './document.ts';

/** Counts by operation (or what else was asked) and status. */
export type Counts = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Counts what was asked and what was answered. */
export class Tally {
  readonly #counts = new Map<string, Map<number, number>>();
  #requests = 0;

  /** How many requests were sent, answered or not. */
  get requests(): number {
    return this.#requests;
  }

  /** Answers by operation and status; 0 stands for none. */
  get counts(): Counts {
    return this.#counts;
  }

  /** Counts a request and how it was answered; 0 where it was not. */
  count(name: string, status: number): void {
    this.#requests++;
    const statuses = this.#counts.get(name) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#counts.set(name, statuses);
  }

  /** How many answers had a status, whatever the operation. */
  byStatus(): ReadonlyMap<number, number> {
    const sums = new Map<number, number>();
    for (const statuses of this.#counts.values())
      for (const [status, count] of statuses) sums.set(status, (sums.get(status) ?? 0) + count);
    return new Map([...sums].sort(([a], [b]) => a - b));
  }
}

/** What of a document was never seen. */
export interface Unreached {
  /** Operations that never succeeded. */
  readonly operations: readonly string[];
  /** Documented statuses that no answer had, by operation. */
  readonly statuses: Readonly<Record<string, readonly number[]>>;
}

/** Finds what of a document no answer has shown. */
export function findUnreached({operations}: ApiDocument, counts: Counts): Unreached {
  const seen = (name: string, status: number): boolean => (counts.get(name)?.get(status) ?? 0) > 0;
  const missing = operations.map(({name, answers}) => [
    name,
    Object.keys(answers)
      .map(Number)
      .filter(status => !seen(name, status)),
  ]) satisfies [string, number[]][];
  return {
    operations: operations.filter(({name}) => !SUCCESSES.some(status => seen(name, status))).map(({name}) => name),
    statuses: Object.fromEntries(missing.filter(([, statuses]) => statuses.length > 0)),
  };
}

/** Statuses with which operations do what they promise: 202 later, and 302 by leading elsewhere. */
const SUCCESSES = [200, 201, 202, 302];
