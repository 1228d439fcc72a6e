import {
  createStoreId,
  parseStoreId,
  type Revision,
  STORE_ID_BYTES,
  type StoreId,
} from '../../../core/domain/entries/identifiers.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import type {StoreClock} from '../../plan/store-clock.ts';
import {ABSENT, type Driver, type EngineAnswer, type EngineFailure, type GuardedWrite} from './driver.ts';
import {HEAD_KEY, logUpTo} from './engine-keys.ts';

/** Position of the change log after one of its parts. */
export interface LogPosition {
  /** Revision of the last change. */
  readonly revision: Revision;
  /** Number of changes that were ever logged, and bytes of their keys and values. */
  readonly ordinal: number;
  readonly volumeBytes: number;
}

/**
 * The head of a store: one small value that every write compares and replaces. Thus all commits have one order, revisions have no
 * gaps, and a write that is sent twice happens once.
 */
export interface Head {
  readonly id: StoreId;
  /** Id of the engine's data: if the engine has another one, it was restored from a backup. */
  readonly cluster: string;
  /** End of the change log, with the last revision, and of its part that was trimmed. */
  readonly end: LogPosition;
  readonly trimmed: LogPosition;
  /** Number of entries, also of those that have expired and are not removed yet. */
  readonly entries: number;
  /** The highest time known to the store, in milliseconds since the Unix epoch. */
  readonly clockMs: number;
  /** Id of the last group of commits, and of the process that wrote the head. */
  readonly group: string;
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

const FORMAT = 5;

/** Maximum size of a head, in bytes: ten times what it needs. A larger value is of something else. */
const HEAD_BYTES_MAX = 4096;

/** Returns a head that this process has written. JSON, since operators may look at it. */
export function writtenHead(head: Head, version: number): KnownHead {
  return {head, version, value: Buffer.from(JSON.stringify({format: FORMAT, ...head})), at: version};
}

/** Returns a write that replaces a head and writes nothing else. It takes hardly any space. */
export function replaceHead({version, value: previous}: KnownHead, next: Head): GuardedWrite {
  const {value} = writtenHead(next, version);
  return {key: HEAD_KEY, version, previous, value, puts: [], removes: [], removedRanges: [], usesReserve: true};
}

/**
 * Reads the head that an answer has first.
 *
 * @returns Undefined if there is none.
 * @throws {AppError} `unavailable` if something else is there, or a head of another format.
 */
export function headIn({found, at}: Pick<EngineAnswer, 'found' | 'at'>): KnownHead | undefined {
  const pair = found[0]?.[0];
  if (pair === undefined) return undefined;
  const {value, version} = pair;
  const {format, ...head} = parseHead(value) ?? {};
  if (typeof format === 'number' && format < FORMAT)
    throw unusable(
      'has the form of an earlier version: start that version on it, and this one on another prefix, and move the entries with ' +
        '`crewroom export FILE` of that version and `crewroom import FILE` of this one',
    );
  if (format !== FORMAT || !isHead(head as Head))
    throw unusable('does not hold a store of Crewroom: it has a head of another format');
  return {head: head as Head, version, value, at};
}

/** Reads the head that an answer has first. @throws {AppError} As {@link headIn}, also if there is none. */
export function expectHead(answer: Pick<EngineAnswer, 'found' | 'at'>): KnownHead {
  const head = headIn(answer);
  if (head !== undefined) return head;
  const problem = 'the data of this store were removed in the engine';
  const advice = 'restore them, or restart the service to begin with an empty store';
  throw new AppError({code: 'unavailable', what: 'store', problem: `${problem}; ${advice}`});
}

/** The engine, and what a new head needs: the store's clock, the id of this process, and random bytes for an id. */
export interface HeadDeps {
  readonly driver: Driver;
  readonly clock: StoreClock;
  readonly writer: string;
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
}

/**
 * Reads the head of the store in an engine; creates one if nothing is stored there. A store in an engine that was restored gets a new id.
 *
 * @throws {AppError} `unavailable` if something else is stored there.
 * @throws {EngineFailure}
 */
export async function openHead(deps: HeadDeps, newStoreId = false): Promise<KnownHead> {
  const {driver, clock, writer, randomBytes} = deps;
  for (;;) {
    const answer = await driver.read([{from: HEAD_KEY}]);
    const {cluster, at} = answer;
    const known = headIn(answer);
    if (known !== undefined) {
      clock.raise(known.head.clockMs);
      return newStoreId || known.head.cluster !== cluster ? beginAgain(known, deps, {cluster}) : known;
    }
    // Only now, and as it was then: an engine may look at every key.
    const [other] = (await driver.read([{from: '', to: '\xff', limit: 1, keysOnly: true}], {at})).found[0] ?? [];
    if (other !== undefined) {
      const name = JSON.stringify(Buffer.from(other.key, 'latin1').toString().slice(0, 100));
      throw unusable(`does not hold a store of Crewroom: it has the key ${name}, but no head`);
    }
    const [id, end] = [createStoreId(randomBytes(STORE_ID_BYTES)), {revision: 0, ordinal: 0, volumeBytes: 0}];
    const head = {id, cluster, end, trimmed: end, entries: 0, clockMs: clock.now(), group: '', writer};
    const nothing = {head, version: ABSENT, value: Buffer.alloc(0), at};
    const written = await driver.compareAndWrite({...replaceHead(nothing, head), previous: undefined});
    if (written.kind === 'written') return writtenHead(head, written.version);
  }
}

/**
 * Gives a restored store a new id, unless another process has done so, and a log that begins after all known revisions: commits are
 * missing, and others may have got their revisions since, so numbers that clients have must match nothing.
 *
 * @param found The head that the engine has now, in its data of this id, and the one that this process knew.
 * @returns The head to continue with.
 * @throws {EngineFailure} `denied` if this process may not write: then it has to wait for one that may.
 */
export async function beginAgain(
  found: KnownHead,
  {driver, randomBytes}: Pick<HeadDeps, 'driver' | 'randomBytes'>,
  {cluster, known}: {readonly cluster: string; readonly known?: Head | undefined},
): Promise<KnownHead> {
  for (let present = found; ; ) {
    const {head} = present;
    const isNamed = known !== undefined && head.id !== known.id && head.cluster === cluster;
    const knownRevision = known?.end.revision ?? 0;
    if (isNamed && head.trimmed.revision > knownRevision) return present;
    const revision = Math.max(head.end.revision, knownRevision) + 1;
    const end = {...head.end, revision};
    const id = isNamed ? head.id : createStoreId(randomBytes(STORE_ID_BYTES));
    const next: Head = {...head, id, cluster, end, trimmed: end};
    const answer = await driver.compareAndWrite({...replaceHead(present, next), removedRanges: logUpTo(revision)});
    if (answer.kind === 'written') return writtenHead(next, answer.version);
    present = expectHead(answer.answer);
  }
}

/** Returns the failure of a store whose engine did not answer. */
export function unavailable(error: EngineFailure): AppError {
  return new AppError({code: 'unavailable', what: 'store', problem: error.message}, {cause: error});
}

function unusable(problem: string): AppError {
  return new AppError({code: 'unavailable', what: 'store', problem: `the prefix in the engine ${problem}`});
}

/** Returns whether a value is a head of any format. */
export function isHeadValue(value: Buffer): boolean {
  const {format, cluster} = parseHead(value) ?? {};
  return typeof format === 'number' && typeof cluster === 'string';
}

function parseHead(value: Buffer): (Partial<Head> & {readonly format?: unknown}) | undefined {
  if (value.length > HEAD_BYTES_MAX) return undefined;
  try {
    return JSON.parse(value.toString()) as Head & {readonly format: unknown};
  } catch {
    return undefined;
  }
}

function isHead({id, cluster, end, trimmed, entries, clockMs}: Head): boolean {
  const positions = [end, trimmed].flatMap(each => [each?.revision, each?.ordinal, each?.volumeBytes]);
  const hasNumbers = [entries, ...positions].every(Number.isSafeInteger) && Number.isFinite(clockMs);
  return hasNumbers && typeof cluster === 'string' && parseStoreId(id) !== undefined;
}
