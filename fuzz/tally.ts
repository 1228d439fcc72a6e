import type {ApiDocument} from './document.ts';

/** Counts by operation (or another kind of request) and status. */
export type Counts = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Counts requests and answers. */
export class Tally {
  readonly #counts = new Map<string, Map<number, number>>();
  #requests = 0;

  /** Number of requests sent, with or without an answer. */
  get requests(): number {
    return this.#requests;
  }

  /** Answers by operation and status; 0 stands for none. */
  get counts(): Counts {
    return this.#counts;
  }

  /** Counts a request and the status of its answer; 0 if there was none. */
  count(name: string, status: number): void {
    this.#requests++;
    const statuses = this.#counts.get(name) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#counts.set(name, statuses);
  }

  /** Number of answers with a status, over all operations. */
  byStatus(): ReadonlyMap<number, number> {
    const sums = new Map<number, number>();
    for (const statuses of this.#counts.values())
      for (const [status, count] of statuses) sums.set(status, (sums.get(status) ?? 0) + count);
    return new Map([...sums].sort(([a], [b]) => a - b));
  }
}

/** Parts of a document that did not occur. */
export interface Unreached {
  /** Operations that never succeeded. */
  readonly operations: readonly string[];
  /** Documented statuses that did not occur, by operation. */
  readonly statuses: Readonly<Record<string, readonly number[]>>;
}

/** Finds the parts of a document that no answer has shown. */
export function findUnreached({operations}: ApiDocument, counts: Counts, refused: readonly string[] = []): Unreached {
  const seen = (name: string, status: number): boolean => (counts.get(name)?.get(status) ?? 0) > 0;
  const missing = operations.map(({name, answers}) => [
    name,
    Object.keys(answers)
      .filter(status => status !== 'default')
      .map(Number)
      .filter(status => !seen(name, status)),
  ]) satisfies [string, number[]][];
  return {
    operations: operations
      .map(({name}) => name)
      .filter(name => !refused.includes(name) && !SUCCESSES.some(status => seen(name, status))),
    statuses: Object.fromEntries(missing.filter(([, statuses]) => statuses.length > 0)),
  };
}

/** Statuses of success: 202 promises it later, and 302 redirects to it. */
const SUCCESSES = [200, 201, 202, 302];
