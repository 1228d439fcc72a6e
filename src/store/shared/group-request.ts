import type {CommitResult} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import {AppError} from '../../failures/app-error.ts';
import {endEntryRecord} from '../format/entry-record.ts';
import type {Plan, PlannedWrite, StorePut} from '../plan/plan.ts';
import {recordOf} from '../plan/prepare-commit.ts';
import type {Attempt} from './attempt.ts';
import {encodeResults, eraOf} from './engine/commit-ids.ts';
import {type GuardedWrite, type KeyRange, OPERATIONS_MAX, REQUEST_BYTES_MAX} from './engine/driver.ts';
import {
  entryKey,
  expiryKey,
  fenceOf,
  type LogPosition,
  largeLogKey,
  logUpTo,
  resultsBefore,
} from './engine/engine-keys.ts';
import {type Head, replaceHead} from './engine/head.ts';
import type {LogLimits} from './engine/log-limits.ts';
import {encodeLog} from './engine/log-record.ts';
import {
  encodeInParts,
  INLINE_BYTES_MAX,
  keysOfParts,
  PART_BYTES_MAX,
  rangeOfParts,
  type StoredEntry,
} from './engine/stored-entry.ts';
import type {PlanningState} from './planning-state.ts';

type Pair = readonly [key: string, value: Uint8Array];

/** Writes of a planned group. */
export interface GroupRequest {
  readonly head: Head;
  /** The write that commits it. */
  readonly write: GuardedWrite;
  /** Parts of large values, and of the log, that are written before. */
  readonly parts: readonly Pair[];
  /** The entries that it writes, as the engine has them then; undefined for those that it removes. */
  readonly entries: ReadonlyMap<Key, StoredEntry | undefined>;
}

export interface GroupOptions {
  readonly attempt: Attempt;
  /** Id of the process. */
  readonly writer: string;
  /** Ids that callers gave to the commits of the group. */
  readonly ids: readonly (string | undefined)[];
  /** Result of each of these commits that is planned; undefined for the others. */
  readonly results: readonly (CommitResult | Error | undefined)[];
  readonly logLimits: LogLimits;
  /** End of the part of the log that is no longer needed. */
  readonly trimmed: LogPosition;
}

/** Operations of a request that a group has besides its keys: the removal of its mark, and of the ranges that {@link rangesToTrim} returns. */
const OTHER_OPERATIONS_MAX = 4;

/** Maximum number of keys of a group. */
const GROUP_KEYS_MAX = OPERATIONS_MAX - OTHER_OPERATIONS_MAX;

/** Number of eras whose results are kept: the present one, and the one before. */
const ERAS_KEPT = 2;

/** Space in a request for everything but keys and values, in bytes: some for each operation, and the head. */
const OPERATION_BYTES = 32;
const HEAD_BYTES = 8192;

/** Size of everything else in the write of an entry besides keys, in bytes: the header, its expiry, and the one before. */
const ENTRY_BYTES = 256;

/** Largest size of all values in a request, in bytes. Those above are in parts, and leave space for the log. */
const VALUES_BYTES_MAX = 640 * 1024;

/**
 * Returns the number of commits that have an id of their caller, and happened. Their results are kept even if they changed nothing: sent
 * again, they could change what was written since.
 */
export function countNamed(ids: GroupOptions['ids'], results: GroupOptions['results']): number {
  return ids.filter((id, index) => id !== undefined && hasHappened(results[index])).length;
}

/**
 * Returns what a group writes. Without changes and ids it is only the time, in the head.
 *
 * @throws {AppError} `transaction-too-large` if it writes more keys than a request may, or larger ones.
 */
export function describeGroup({base, entries}: PlanningState, plan: Plan, options: GroupOptions): GroupRequest {
  const {attempt, writer, ids, results, logLimits, trimmed} = options;
  const {changes, updatedAtMs, nowMs} = plan;
  const {group} = attempt;
  const log = encodeLog({changes, updatedAtMs}, {start: base.head.end, group, limits: logLimits});
  const named = changes.length === 0 ? countNamed(ids, results) : 0;
  const request = new RequestBuilder(attempt, entries, spaceForValues(plan));
  for (const [key, write] of plan.writes) request.add(key, write);
  for (const {key, expiresAtMs} of plan.stale) request.remove(expiryKey(expiresAtMs, key));
  if (changes.length > 0 || named > 0) {
    for (const [key, value] of encodeResults(group, results, {ids, era: eraOf(base.head)})) request.put(key, value);
  }
  request.addLog(log.puts, log.end);
  const head: Head = {
    ...base.head,
    ...{end: log.end, trimmed, clockMs: Math.max(base.head.clockMs, nowMs), group, writer},
    entries: Math.max(0, base.head.entries + request.created),
    unchanged: base.head.unchanged + named,
  };
  request.removedRanges.push(...rangesToTrim(base.head, head));
  const {removedRanges, parts, written} = request;
  const [puts, removes] = [[...request.puts], [...request.removes]];
  const usesReserve = [...plan.writes.values()].every(({put}) => put === undefined);
  return {
    head,
    parts,
    entries: written,
    write: {...replaceHead(base, head), puts, removes, removedRanges, usesReserve},
  };
}

/** Returns the request of an attempt whose parts are written, which removes the mark of its parts if it has any, and the parts that nothing names then, as far as it has space for them. */
export function withMark(request: GroupRequest, attempt: Attempt): GroupRequest {
  const {mark} = attempt;
  if (mark === undefined) return request;
  const {puts, removes, removedRanges} = request.write;
  const left = Math.max(0, OPERATIONS_MAX - puts.length - removes.length - removedRanges.length - 1);
  return {
    ...request,
    write: {...request.write, removes: [...removes, mark, ...unnamedParts(request, attempt).slice(0, left)]},
  };
}

/** Returns the keys of the parts that an attempt has written for earlier plans, and that its request does not name. */
function unnamedParts({entries, parts}: GroupRequest, {written}: Attempt): readonly string[] {
  const named = new Set(parts.map(([key]) => key));
  for (const entry of entries.values())
    if (entry?.parts !== undefined) for (const key of keysOfParts(entry.parts)) named.add(key);
  return [...written].filter(key => !named.has(key));
}

class RequestBuilder {
  readonly puts = new Map<string, Uint8Array>();
  readonly removes = new Set<string>();
  readonly removedRanges: KeyRange[] = [];
  readonly parts: Pair[] = [];
  readonly written = new Map<Key, StoredEntry | undefined>();
  /** Number of entries that it creates, less those that it removes. */
  created = 0;
  readonly #attempt: Attempt;
  readonly #before: PlanningState['entries'];
  #bytes = HEAD_BYTES;
  /** Space that is left for values, in bytes. */
  #valuesBytes: number;

  constructor(attempt: Attempt, before: PlanningState['entries'], valuesBytes: number) {
    this.#attempt = attempt;
    this.#before = before;
    this.#valuesBytes = valuesBytes;
  }

  put(key: string, value: Uint8Array): void {
    this.puts.set(key, value);
    this.#count(key.length + value.length);
  }

  remove(key: string): void {
    // The engine refuses a request that writes a key twice.
    if (this.puts.has(key)) return;
    this.removes.add(key);
    this.#count(key.length);
  }

  /** Adds the write of an entry, with its expiry, and without the parts that it had. */
  add(key: Key, write: PlannedWrite): void {
    const before = this.#before.get(key);
    const {put, expiresAtMs, expiredAtMs} = write;
    this.created += Number(put !== undefined) - Number(before !== undefined);
    if (before?.parts !== undefined) this.removedRanges.push(rangeOfParts(before.parts));
    if (expiredAtMs !== undefined && expiredAtMs !== expiresAtMs) this.remove(expiryKey(expiredAtMs, key));
    const fence = fenceOf(key);
    if (put === undefined) {
      this.remove(entryKey(key));
      if (fence !== undefined) this.remove(fence);
      this.written.set(key, undefined);
      return;
    }
    if (fence !== undefined && before === undefined) this.put(fence, Buffer.alloc(0));
    if (expiresAtMs !== undefined && expiredAtMs !== expiresAtMs)
      this.put(expiryKey(expiresAtMs, key), Buffer.from(key));
    this.#putEntry(key, put, write);
  }

  /** Adds the parts of the log: into the request if it has space for them, otherwise before it. */
  addLog(log: readonly Pair[], {revision}: LogPosition): void {
    for (const [index, [key, part]] of log.entries()) {
      if (this.#bytes + part.length + OPERATION_BYTES + key.length <= REQUEST_BYTES_MAX) {
        this.put(key, part);
        continue;
      }
      const large = largeLogKey(revision, `${this.#attempt.group}-${this.#attempt.plans}-${index}`);
      this.parts.push([large, part]);
      this.put(key, Buffer.from(large, 'latin1'));
    }
    const keys = this.puts.size + this.removes.size + this.removedRanges.length;
    if (this.#bytes > REQUEST_BYTES_MAX || keys > GROUP_KEYS_MAX)
      throw new AppError({code: 'transaction-too-large', sizeBytesMax: REQUEST_BYTES_MAX});
  }

  #putEntry(key: Key, put: StorePut, header: PlannedWrite): void {
    const record = recordOf(put, header.writtenBy);
    endEntryRecord(record, key, header);
    const {revision, expiresAtMs, updatedAtMs} = header;
    const info = {key, revision, expiresAtMs, updatedAtMs, sizeBytes: put.json.length} as StoredEntry['info'];
    if (put.json.length <= Math.min(INLINE_BYTES_MAX, this.#valuesBytes)) {
      this.#valuesBytes -= put.json.length;
      this.put(entryKey(key), record);
      this.written.set(key, {info, parts: undefined, record});
      return;
    }
    const parts = this.#attempt.partsOf(put.json);
    const headerRecord = record.subarray(0, record.length - put.json.length);
    this.put(entryKey(key), encodeInParts(headerRecord, parts));
    this.written.set(key, {info, parts, record: headerRecord});
    for (const [index, part] of keysOfParts(parts).entries()) {
      if (!this.#attempt.written.has(part))
        this.parts.push([part, put.json.subarray(index * PART_BYTES_MAX, (index + 1) * PART_BYTES_MAX)]);
    }
  }

  #count(bytes: number): void {
    this.#bytes += OPERATION_BYTES + bytes;
  }
}

/** Returns the space for values in the request of a plan, in bytes. */
function spaceForValues({writes}: Plan): number {
  let bytes = REQUEST_BYTES_MAX - 2 * HEAD_BYTES;
  // Twice for an entry that expires.
  for (const key of writes.keys()) bytes -= ENTRY_BYTES + 2 * Buffer.byteLength(key);
  return Math.min(VALUES_BYTES_MAX, bytes);
}

function hasHappened(result: CommitResult | Error | undefined): boolean {
  return result !== undefined && !(result instanceof Error);
}

function rangesToTrim(before: Head, after: Head): readonly KeyRange[] {
  const ranges = after.trimmed.revision > before.trimmed.revision ? [...logUpTo(after.trimmed.revision)] : [];
  const era = eraOf(after);
  if (era > eraOf(before) && era >= ERAS_KEPT) ranges.push(resultsBefore(era + 1 - ERAS_KEPT));
  return ranges;
}
