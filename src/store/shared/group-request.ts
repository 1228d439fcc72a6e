import type {Key} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {marksOf} from '../format/change-encoding.ts';
import {endEntryRecord} from '../format/entry-record.ts';
import type {Plan, PlannedWrite, StorePut} from '../plan/plan.ts';
import {recordOf} from '../plan/prepare-commit.ts';
import type {Attempt, PlanningState} from './attempt.ts';
import {encodeLog, encodeResults, findTrim, largeLogKey, resultsToTrim} from './engine/change-log.ts';
import {
  type GuardedWrite,
  type KeyRange,
  OPERATIONS_MAX,
  PREFIX_BYTES_MAX,
  REQUEST_BYTES_MAX,
  type StoredPair,
} from './engine/driver.ts';
import {
  bodyKey,
  entryKey,
  expiryKey,
  fenceOf,
  logUpTo,
  NAMED_VALUE,
  partsOfStaged,
  STAGED_VALUE,
} from './engine/engine-keys.ts';
import {type Head, replaceHead} from './engine/head.ts';
import {
  BODY_BYTES_MAX,
  bodyOf,
  encodeInParts,
  INLINE_BYTES_MAX,
  isBody,
  keysOfParts,
  PART_BYTES_MAX,
  type Parts,
  rangeOfParts,
} from './engine/stored-entry.ts';
import type {StoreParts} from './engine-state.ts';

type Pair = readonly [key: string, value: Uint8Array];

interface GroupOptions extends Pick<StoreParts, 'driver' | 'writer' | 'logLimits'> {
  readonly attempt: Attempt;
}

/** Maximum number of keys of a group. A request has space for the mark of its parts, and for trimmed ranges. */
const GROUP_KEYS_MAX = OPERATIONS_MAX - 4;

/** Number of entries of a group up to which they have bodies: each takes up to five keys. */
const BODIES_MAX = 500;

/** Space in a request for everything but keys and values, in bytes: some for each operation, and the head. */
const OPERATION_BYTES = 32;
const HEAD_BYTES = 8192;

/** Size of everything in the write of an entry besides keys, in bytes: the header, its body or parts, its expiry, and the one before. */
const ENTRY_BYTES = 320;

/** Largest size of all values in a request, in bytes. Those above are in parts, and leave space for the log. */
const VALUES_BYTES_MAX = 640 * 1024;

/**
 * Returns what a group writes: parts of large values and of the log, and then, with its head, the write that commits it. Without changes
 * that is only the time, in the head.
 *
 * @throws {AppError} `too-large` if it writes more keys than a request may, or larger ones.
 */
export async function describeGroup(
  {base, entries, oldMarks}: PlanningState,
  plan: Plan,
  {driver, attempt, writer, logLimits}: GroupOptions,
): Promise<{readonly parts: readonly Pair[]; readonly head: Head; readonly write: GuardedWrite}> {
  const {changes, results, nowMs} = plan;
  const {group} = attempt;
  const log = encodeLog(changes, base.head, logLimits);
  const trimmed = await findTrim(driver, base, logLimits);
  const request = new RequestBuilder(attempt, entries, spaceForValues(plan));
  for (const [key, write] of plan.writes) request.add(key, write);
  for (const {key, expiresAtMs} of plan.stale) request.remove(expiryKey(expiresAtMs, key));
  if (changes.length > 0)
    for (const [key, value] of encodeResults(base.head, group, {marks: marksOf(changes), results}))
      request.put(key, value);
  request.addLog(log.puts, log.end.revision, base.version);
  const head: Head = {
    ...base.head,
    ...{end: log.end, trimmed, clockMs: Math.max(base.head.clockMs, nowMs), group, writer},
    entries: Math.max(0, base.head.entries + request.created),
  };
  if (trimmed.revision > base.head.trimmed.revision)
    for (const range of logUpTo(trimmed.revision)) request.removeRange(range);
  for (const range of resultsToTrim(base.head, head)) request.removeRange(range);
  request.removeUnnamed(oldMarks);
  const usesReserve = [...plan.writes.values()].every(({put}) => put === undefined);
  const {parts, removedRanges} = request;
  const operations = {puts: [...request.puts], removes: [...request.removes], removedRanges};
  return {head, parts, write: {...replaceHead(base, head), ...operations, usesReserve}};
}

class RequestBuilder {
  readonly puts = new Map<string, Uint8Array>();
  readonly removes = new Set<string>();
  readonly removedRanges: KeyRange[] = [];
  readonly parts: Pair[] = [];
  /** Number of entries that it creates, less those that it removes. */
  created = 0;
  readonly #attempt: Attempt;
  readonly #before: PlanningState['entries'];
  /** Keys of the parts that its entries name. */
  readonly #named = new Set<string>();
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
    this.#bytes += OPERATION_BYTES + key.length + value.length;
  }

  remove(key: string): void {
    // The engine refuses a request that writes a key twice.
    if (this.puts.has(key)) return;
    this.removes.add(key);
    this.#bytes += OPERATION_BYTES + key.length;
  }

  /** Adds the removal of a range; joins it to the last one if it follows that, as parts of values do that were written together. */
  removeRange(range: KeyRange): void {
    const last = this.removedRanges.at(-1);
    if (last?.to === range.from) {
      this.removedRanges.splice(-1, 1, {from: last.from, to: range.to});
      return;
    }
    this.removedRanges.push(range);
    this.#bytes += OPERATION_BYTES + range.from.length + range.to.length + PREFIX_BYTES_MAX;
  }

  /** Adds the write of an entry, with its expiry, and without the parts that it had. */
  add(key: Key, write: PlannedWrite): void {
    const before = this.#before.get(key);
    const {put, expiresAtMs, expiredAtMs} = write;
    this.created += Number(put !== undefined) - Number(before !== undefined);
    const parts = put && this.#partsOf(put);
    if (isBody(before?.parts)) {
      if (!isBody(parts)) this.remove(bodyKey(key));
    } else if (before?.parts !== undefined) this.removeRange(rangeOfParts(before.parts));
    if (expiredAtMs !== undefined && expiredAtMs !== expiresAtMs) this.remove(expiryKey(expiredAtMs, key));
    const fence = fenceOf(key);
    if (put === undefined) {
      this.remove(entryKey(key));
      if (fence !== undefined) this.remove(fence);
      return;
    }
    if (fence !== undefined && before === undefined) this.put(fence, Buffer.alloc(0));
    if (expiresAtMs !== undefined && expiredAtMs !== expiresAtMs)
      this.put(expiryKey(expiresAtMs, key), Buffer.from(key));
    this.#putEntry(key, put, write, parts);
  }

  /** Adds the parts of the log: into the request if it has space for them, otherwise before it. */
  addLog(log: readonly Pair[], revision: number, baseVersion: number): void {
    for (const [index, [key, part]] of log.entries()) {
      if (this.#bytes + part.length + OPERATION_BYTES + key.length <= REQUEST_BYTES_MAX) {
        this.put(key, part);
        continue;
      }
      const large = largeLogKey(revision, `${this.#attempt.group}-${baseVersion}-${index}`);
      this.parts.push([large, part]);
      this.put(key, Buffer.from(large, 'latin1'));
    }
    if (this.#bytes > REQUEST_BYTES_MAX || this.#operations > GROUP_KEYS_MAX)
      throw new AppError({code: 'too-large', what: 'transaction', max: REQUEST_BYTES_MAX});
  }

  /**
   * Marks that a head names its parts now. Adds the removal of parts of earlier plans that it does not name, of old marks, and of the parts
   * that no head has named: as far as there is space for them.
   */
  removeUnnamed(oldMarks: readonly StoredPair[]): void {
    const {mark, written} = this.#attempt;
    if (this.parts.length > 0 || written.size > 0) this.put(mark, NAMED_VALUE);
    const hasSpace = (): boolean => this.#operations + 2 <= OPERATIONS_MAX && this.#bytes <= REQUEST_BYTES_MAX;
    for (const key of written) if (!this.#named.has(key) && hasSpace()) this.remove(key);
    for (const {key, value} of oldMarks) {
      // The clock may have gone ahead: then its own parts look as if they were old.
      if (key === mark) continue;
      if (!hasSpace()) break;
      this.remove(key);
      if (value.equals(STAGED_VALUE)) this.removeRange(partsOfStaged(key));
    }
  }

  get #operations(): number {
    return this.puts.size + this.removes.size + this.removedRanges.length;
  }

  /** Returns where a value is, besides its entry; undefined if nowhere. */
  #partsOf({json}: StorePut): Parts | undefined {
    if (json.length > Math.min(BODY_BYTES_MAX, this.#valuesBytes)) return this.#attempt.partsOf(json);
    this.#valuesBytes -= json.length;
    return json.length <= INLINE_BYTES_MAX || this.#before.size > BODIES_MAX ? undefined : bodyOf(json.length);
  }

  #putEntry(key: Key, put: StorePut, write: PlannedWrite, parts: Parts | undefined): void {
    const {json} = put;
    const record = recordOf(put, write.writtenBy);
    endEntryRecord(record, key, write);
    const header = record.subarray(0, record.length - json.length);
    this.put(entryKey(key), parts === undefined ? record : encodeInParts(header, parts));
    if (isBody(parts)) {
      this.put(bodyKey(key), json);
      return;
    }
    for (const [index, part] of keysOfParts(key, parts).entries()) {
      this.#named.add(part);
      if (!this.#attempt.written.has(part))
        this.parts.push([part, json.subarray(index * PART_BYTES_MAX, (index + 1) * PART_BYTES_MAX)]);
    }
  }
}

/** Returns the space for values in the request of a plan, in bytes. */
function spaceForValues({writes}: Plan): number {
  let bytes = REQUEST_BYTES_MAX - 2 * HEAD_BYTES;
  // Once more for an entry that expires, and for a body.
  const copies = writes.size > BODIES_MAX ? 2 : 3;
  for (const key of writes.keys()) bytes -= ENTRY_BYTES + copies * Buffer.byteLength(key);
  return Math.min(VALUES_BYTES_MAX, bytes);
}
