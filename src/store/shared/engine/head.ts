import type {Revision} from '../../../domain/entries/revision.ts';
import {parseStoreId, type StoreId} from '../../../domain/entries/store-id.ts';
import {AppError} from '../../../failures/app-error.ts';
import type {EngineAnswer, GuardedWrite} from './driver.ts';
import {HEAD_KEY, type LogPosition} from './engine-keys.ts';

/**
 * The head of a store: one small value that every write compares and replaces. Thus all commits have one order, revisions have no
 * gaps, and a write that is sent twice happens once.
 */
export interface Head {
  readonly id: StoreId;
  /** Id of the engine's data: if the engine has another one, it was restored from a backup. */
  readonly cluster: string;
  /** End of the change log, with the last revision. */
  readonly end: LogPosition;
  /** End of the part of the change log that was trimmed. */
  readonly trimmed: LogPosition;
  /** Number of entries, also of those that have expired and are not removed yet. */
  readonly entries: number;
  /** Number of commits that changed nothing, and whose results are kept all the same. */
  readonly unchanged: number;
  /** The highest time known to the store, in milliseconds since the Unix epoch. */
  readonly clockMs: number;
  /** Id of the last group of commits. */
  readonly group: string;
  /** Id of the process that wrote the head. */
  readonly writer: string;
}

/** A head as it is in the engine. */
export interface KnownHead {
  readonly head: Head;
  readonly version: number;
  /** Its bytes. */
  readonly value: Buffer;
  /** State of the engine in which it is known to be the head. */
  readonly at: number;
}

const FORMAT = 3;

/** Maximum size of a head, in bytes: ten times what it needs. A larger value is of something else. */
const HEAD_BYTES_MAX = 4096;
const NOTHING: LogPosition = {revision: 0, ordinal: 0, volumeBytes: 0};

/** Returns the head of a new store. */
export function createHead({id, cluster, clockMs, writer}: Pick<Head, 'id' | 'cluster' | 'clockMs' | 'writer'>): Head {
  return {id, cluster, end: NOTHING, trimmed: NOTHING, entries: 0, unchanged: 0, clockMs, group: '', writer};
}

/** Returns the revision of the last commit. */
export function revisionOf({head}: KnownHead): Revision {
  return head.end.revision;
}

/** Returns the value of a head. JSON, since operators may look at it. */
export function encodeHead(head: Head): Buffer {
  return Buffer.from(JSON.stringify({format: FORMAT, ...head}));
}

/** Returns a head that this process has written. */
export function writtenHead(head: Head, version: number): KnownHead {
  return {head, version, value: encodeHead(head), at: version};
}

/** Returns a write that replaces a head and writes nothing else. It takes hardly any space. */
export function replaceHead(known: KnownHead, next: Head): GuardedWrite {
  const guard = {key: HEAD_KEY, version: known.version, previous: known.value};
  return {...guard, value: encodeHead(next), puts: [], removes: [], removedRanges: [], usesReserve: true};
}

/**
 * Reads the head that an answer has first.
 *
 * @param known Returned if it is still the head.
 * @returns Undefined if there is none.
 * @throws {AppError} `store-unavailable` if something else is there, or a head of another format.
 */
export function headIn({found, at}: EngineAnswer, known?: KnownHead): KnownHead | undefined {
  const pair = found[0]?.[0];
  if (pair === undefined) return undefined;
  const {value, version} = pair;
  if (version === known?.version && value.equals(known.value)) return {...known, at};
  const stored = parseHead(value);
  if (stored?.format === 1 || stored?.format === 2) throw unusable(EARLIER_FORMAT);
  if (stored?.format !== FORMAT || !isHead(stored))
    throw unusable('does not hold a store of Crewroom: it has a head of another format');
  const {format: _, ...head} = stored;
  return {head, version, value, at};
}

const EARLIER_FORMAT =
  'has the form of an earlier version: start that version on it, and this one on another prefix, and copy the entries with ' +
  '`crewroom copy --to <address of this one>` of that version';

/** Returns the failure of a prefix that cannot be used as it is. @param problem A part of a sentence. */
export function unusable(problem: string): AppError {
  return new AppError({code: 'store-unavailable', problem: `the prefix in the engine ${problem}`});
}

function parseHead(value: Buffer): (Head & {readonly format: unknown}) | undefined {
  if (value.length > HEAD_BYTES_MAX) return undefined;
  try {
    return JSON.parse(value.toString()) as Head & {readonly format: unknown};
  } catch {
    return undefined;
  }
}

function isHead({id, cluster, end, trimmed, entries, unchanged, clockMs}: Head): boolean {
  const numbers = [
    entries,
    unchanged,
    ...[end, trimmed].flatMap(each => [each?.revision, each?.ordinal, each?.volumeBytes]),
  ];
  const hasNumbers = numbers.every(Number.isSafeInteger) && Number.isFinite(clockMs);
  return hasNumbers && typeof cluster === 'string' && parseStoreId(id) !== undefined;
}
