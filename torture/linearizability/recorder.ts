import {AppError, createClient, type Failure} from 'crewroom/client';
import type {Check, Conflict, Exchange, Found, Outcome, Write} from './exchange.ts';

/** A service behind a recorder: each request to it goes into the history. */
export interface RecordedService {
  /** Resolves with the revision found; undefined if there is no entry. */
  read(key: string): Promise<number | undefined>;
  /** Reads all entries with this prefix, as they are at one moment. */
  readAll(prefix: string, keys: readonly string[]): Promise<void>;
  put(key: string, value: string, expected?: Check['expected']): Promise<void>;
  /** Adds a member to an object. */
  patch(key: string, member: string): Promise<void>;
  delete(key: string, expected?: number): Promise<void>;
  /** Writes several entries if the checked ones did not change. */
  transact(checks: readonly Check[], writes: readonly Write[]): Promise<void>;
}

/** The service, or the engine of its store, is gone or did not answer. If the request may have had an effect, it is in the history. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

/** Default maximum wait for an answer, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Records the history of all callers, by one clock: the order of events in this process. */
export class HistoryRecorder {
  readonly #history: Exchange[] = [];
  #moment = 0;

  get history(): readonly Exchange[] {
    return this.#history;
  }

  /** Records that no service runs: earlier requests without an answer have happened by now or never will. */
  cutOff(): void {
    const now = ++this.#moment;
    for (const [index, exchange] of this.#history.entries())
      if (exchange.answeredAt === Number.POSITIVE_INFINITY) this.#history[index] = {...exchange, answeredAt: now};
  }

  /**
   * Creates a service whose requests are recorded. Its calls reject with {@link GoneError} if no answer comes.
   *
   * @param timeoutMs Maximum wait for an answer, after which a call rejects with `service-timeout`: nothing may hang.
   */
  watch(url: string, timeoutMs = TIMEOUT_MS): RecordedService {
    const {entries} = createClient({baseUrl: url, attemptsMax: 1, timeoutMs});
    const commit = (checks: readonly Check[], writes: readonly Write[], ask: () => Promise<Answer>): Promise<void> =>
      this.#commit(checks, writes, ask);
    return {
      read: async key => {
        const [found] = await this.#read(async () => [foundOf(key, await entries.get(key))]);
        return found === undefined || found.entry === 'absent' ? undefined : found.entry.revision;
      },
      readAll: async (prefix, keys) => {
        await this.#read(async () => {
          const page = await entries.list({prefix, values: true});
          return keys.map(key =>
            foundOf(
              key,
              page.entries.find(each => each.key === key),
            ),
          );
        });
      },
      put: (key, value, expected) =>
        commit(checksOf(key, expected), [{kind: 'put', key, value}], async () => {
          const {revision, created} = await entries.put(
            key,
            Buffer.from(value),
            expected === undefined ? {} : {expected: toExpectation(expected)},
          );
          return {revision, learned: {key, expected: created ? 'absent' : 'present'}};
        }),
      patch: (key, member) =>
        commit([], [{kind: 'patch', key, member}], () =>
          entries.patch(key, Buffer.from(JSON.stringify({[member]: true}))),
        ),
      delete: (key, expected) =>
        commit(checksOf(key, expected ?? 'present'), [{kind: 'delete', key}], async () => {
          const {deleted} = await entries.delete(key, expected === undefined ? {} : {expected: [expected]});
          if (deleted === 0) throw new AppError({code: 'no-entry', key});
          return {};
        }),
      transact: (checks, writes) =>
        commit(checks, writes, () =>
          entries.transact({
            checks: checks.map(({key, expected}) => ({key, expected: expected as number | 'absent'})),
            operations: writes.map(write => {
              if (write.kind === 'put') return {kind: 'put', key: write.key, value: Buffer.from(write.value)};
              if (write.kind === 'delete') return write;
              return {kind: 'patch', key: write.key, patch: {[write.member]: true}};
            }),
          }),
        ),
    };
  }

  async #read(ask: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
    const requestedAt = ++this.#moment;
    try {
      const found = await ask();
      this.#history.push({kind: 'read', found, requestedAt, answeredAt: ++this.#moment});
      return found;
    } catch (error) {
      // A read without an answer shows nothing.
      throw isGone(error) || isUnavailable(error)
        ? new GoneError('The service does not answer', {cause: error})
        : error;
    }
  }

  async #commit(checks: readonly Check[], writes: readonly Write[], ask: () => Promise<Answer>): Promise<void> {
    const requestedAt = ++this.#moment;
    const record = (outcome: Outcome, answeredAt: number, learned: readonly Check[] = []): void => {
      this.#history.push({kind: 'commit', checks: [...checks, ...learned], writes, outcome, requestedAt, answeredAt});
    };
    try {
      const {revision, learned} = await ask();
      const outcome: Outcome = revision === undefined ? {kind: 'committed'} : {kind: 'committed', revision};
      record(outcome, ++this.#moment, learned === undefined ? [] : [learned]);
    } catch (error) {
      const conflicts = conflictsOf(error);
      if (conflicts !== undefined) return record({kind: 'refused', conflicts}, ++this.#moment);
      // Nothing was written.
      if (isUnavailable(error)) throw new GoneError('The engine of the store does not answer', {cause: error});
      if (!isGone(error)) throw error;
      record({kind: 'unknown'}, Number.POSITIVE_INFINITY);
      throw new GoneError('The service does not answer', {cause: error});
    }
  }
}

/** Additional facts that a writer learns from a success. */
interface Answer {
  readonly revision?: number;
  /** State of the entry before the write, as far as the answer shows it. */
  readonly learned?: Check;
}

function checksOf(key: string, expected: Check['expected'] | undefined): readonly Check[] {
  return expected === undefined ? [] : [{key, expected}];
}

function toExpectation(expected: Check['expected']): 'absent' | 'present' | readonly number[] {
  return typeof expected === 'number' ? [expected] : expected;
}

function foundOf(key: string, entry: {readonly json: Uint8Array; readonly revision: number} | undefined): Found {
  if (entry === undefined) return {key, entry: 'absent'};
  return {key, entry: {value: describeValue(Buffer.from(entry.json).toString()), revision: entry.revision}};
}

/** A value in a history: the text itself, or the sorted members of an object. */
function describeValue(text: string): string {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? JSON.stringify(Object.keys(value).toSorted())
    : text;
}

function conflictsOf(error: unknown): readonly Conflict[] | undefined {
  const failure = failureOf(error);
  if (failure?.code === 'no-entry') return [{key: failure.key, actual: 'absent'}];
  if (failure?.code !== 'revision-conflict') return undefined;
  return failure.conflicts.map(({key, actual}) => ({key, actual: actual === 'absent' ? actual : Number(actual)}));
}

function isGone(error: unknown): boolean {
  const code = failureOf(error)?.code;
  return code === 'service-unreachable' || code === 'store-closed' || code === 'outcome-unknown';
}

function isUnavailable(error: unknown): boolean {
  return failureOf(error)?.code === 'unavailable';
}

function failureOf(error: unknown): Failure | undefined {
  return error instanceof AppError ? error.failure : undefined;
}
