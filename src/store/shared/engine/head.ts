import type {Revision} from '../../../domain/entries/revision.ts';
import {parseStoreId, type StoreId} from '../../../domain/entries/store-id.ts';
import type {GuardedWrite, StoredValue} from './driver.ts';
import {HEAD_KEY, type LogPosition} from './engine-keys.ts';

/**
 * The head of a store: one small value that every write compares and replaces. Thus all commits have one order, revisions have no
 * gaps, and a write that is sent twice happens once.
 */
export interface Head {
  readonly id: StoreId;
  /** End of the change log, with the last revision. */
  readonly end: LogPosition;
  /** Number of commits that changed nothing, and whose results are kept all the same. Absent in stores of earlier versions. */
  readonly unchanged?: number | undefined;
  /** End of the part of the change log that was trimmed. */
  readonly trimmed: LogPosition;
  /**
   * Position of the change log up to which values are in the records of their entries. Small ones after it are read from the log: see
   * `deferred-values.ts`.
   */
  readonly checkpoint: LogPosition;
  /** The highest time known to the store, in milliseconds since the Unix epoch. */
  readonly clockMs: number;
  /** Id of the last group of commits. */
  readonly group: string;
  /** Id of the process that wrote the head. */
  readonly writer: string;
  /** A large group that is committed, and whose parts are being moved to their places; undefined for none. */
  readonly staged?: Staged | undefined;
}

/** Progress of a large group. */
export interface Staged {
  readonly id: string;
  readonly parts: number;
  /** Number of parts that are in their places. */
  readonly done: number;
}

/** A head as it is in the engine. */
export interface KnownHead {
  readonly head: Head;
  readonly version: number;
  /** Its bytes. */
  readonly value: Buffer;
  /** State of the engine in which it is known to be the head: its version, or a later one, which is compacted later. */
  readonly at: number;
}

const FORMAT = 2;

/** The format without checkpoints: all values are in the records of their entries. */
const FORMAT_WITHOUT_CHECKPOINT = 1;

/** Maximum size of a head, in bytes: ten times what it needs. A larger value is of something else. */
const HEAD_BYTES_MAX = 4096;
const NOTHING: LogPosition = {revision: 0, ordinal: 0, volumeBytes: 0};

/** Returns the head of a new store. */
export function createHead(id: StoreId, clockMs: number, writer: string): Head {
  return {id, end: NOTHING, trimmed: NOTHING, checkpoint: NOTHING, clockMs, group: '', writer};
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

/** Returns what a write compares and writes that replaces a head. */
export function replaceHead(
  known: KnownHead,
  next: Head,
): Pick<GuardedWrite, 'key' | 'version' | 'previous' | 'value'> {
  return {key: HEAD_KEY, version: known.version, previous: known.value, value: encodeHead(next)};
}

/** Reads a head; undefined if the value is not one of this format. */
export function decodeHead({value, version, readAt}: StoredValue): KnownHead | undefined {
  if (value.length > HEAD_BYTES_MAX) return undefined;
  try {
    const {format, ...stored} = JSON.parse(value.toString()) as Head & {readonly format: number};
    const head: Head = format === FORMAT_WITHOUT_CHECKPOINT ? {...stored, checkpoint: stored.end} : stored;
    const isKnown = format === FORMAT || format === FORMAT_WITHOUT_CHECKPOINT;
    if (!isKnown || parseStoreId(head.id) === undefined) return undefined;
    const hasNumbers = Number.isFinite(head.clockMs) && Number.isSafeInteger(head.unchanged ?? 0);
    return [head.end, head.trimmed, head.checkpoint].every(isPosition) && hasNumbers
      ? {head, version, value, at: readAt}
      : undefined;
  } catch {
    return undefined;
  }
}

function isPosition(position: LogPosition | undefined): boolean {
  return [position?.revision, position?.ordinal, position?.volumeBytes].every(Number.isSafeInteger);
}
