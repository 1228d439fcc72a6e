import {createStoreId, STORE_ID_BYTES} from '../../../domain/entries/store-id.ts';
import {AppError} from '../../../failures/app-error.ts';
import type {StoreClock} from '../../plan/store-clock.ts';
import {ABSENT, type Driver, type EngineFailure} from './driver.ts';
import {ALL_KEYS, HEAD_KEY, logUpTo} from './engine-keys.ts';
import {createHead, type Head, headIn, type KnownHead, replaceHead, unusable, writtenHead} from './head.ts';

export interface OpenHeadOptions {
  readonly driver: Driver;
  readonly clock: StoreClock;
  /** Id of this process. */
  readonly writer: string;
  /** Returns random bytes, for the id of a new store. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Gives the store a new id. @default {false} */
  readonly newStoreId?: boolean | undefined;
}

/**
 * Reads the head of the store in an engine; creates one if nothing is stored there. A store in an engine that was restored gets a new id.
 *
 * @throws {AppError} `store-unavailable` if something else is stored there.
 * @throws {EngineFailure}
 */
export async function openHead(options: OpenHeadOptions): Promise<KnownHead> {
  const {driver, clock, writer, randomBytes, newStoreId = false} = options;
  for (;;) {
    const answer = await driver.read([{from: HEAD_KEY}]);
    const {cluster, at} = answer;
    const known = headIn(answer);
    if (known !== undefined) {
      clock.raise(known.head.clockMs);
      if (newStoreId || known.head.cluster !== cluster) return beginAgain(known, {...options, cluster});
      return known;
    }
    // Only now, and as it was then: an engine may look at every key.
    const [other] = (await driver.read([{...ALL_KEYS, limit: 1, keysOnly: true}], {at})).found[0] ?? [];
    if (other !== undefined) {
      const name = JSON.stringify(Buffer.from(other.key, 'latin1').toString().slice(0, 100));
      throw unusable(`does not hold a store of Crewroom: it has the key ${name}, but no head`);
    }
    const head = createHead({id: createStoreId(randomBytes(STORE_ID_BYTES)), cluster, clockMs: clock.now(), writer});
    const absent = {head, version: ABSENT, value: Buffer.alloc(0), at: 0};
    const written = await driver.compareAndWrite({...replaceHead(absent, head), previous: undefined});
    if (written.kind === 'written') return writtenHead(head, written.version);
  }
}

/** The engine's data, and what was known of the store before. */
export interface Beginning {
  readonly driver: Driver;
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  readonly cluster: string;
  /** The head that this process knew. @default {none} */
  readonly known?: Head | undefined;
}

/**
 * Gives a restored store a new id, unless another process has done so, and a log that begins after all known revisions: commits are
 * missing, and others may have got their revisions since, so numbers that clients have must match nothing.
 *
 * @returns The head to continue with.
 * @throws {EngineFailure} `denied` if this process may not write: then it has to wait for one that may.
 */
export async function beginAgain(
  found: KnownHead,
  {driver, randomBytes, cluster, known}: Beginning,
): Promise<KnownHead> {
  for (let present = found; ; ) {
    const {head} = present;
    const isNamed = known !== undefined && head.id !== known.id && head.cluster === cluster;
    const knownRevision = known?.end.revision ?? 0;
    if (isNamed && head.trimmed.revision > knownRevision) return present;
    const revision = Math.max(head.end.revision, knownRevision) + 1;
    const end = {...head.end, revision, group: undefined};
    const id = isNamed ? head.id : createStoreId(randomBytes(STORE_ID_BYTES));
    const next: Head = {...head, id, cluster, end, trimmed: end};
    const answer = await driver.compareAndWrite({...replaceHead(present, next), removedRanges: logUpTo(revision)});
    if (answer.kind === 'written') return writtenHead(next, answer.version);
    present = assertHead(headIn(answer.answer));
  }
}

/** @throws {AppError} `store-unavailable` if there is no head. */
export function assertHead(found: KnownHead | undefined): KnownHead {
  if (found !== undefined) return found;
  throw new AppError({
    code: 'store-unavailable',
    problem:
      'the data of this store were removed in the engine; restore them, or restart the service to begin with an empty store',
  });
}

/** Returns the failure of a store whose engine did not answer. */
export function unavailable(error: EngineFailure): AppError {
  return new AppError({code: 'store-unavailable', problem: error.message}, {cause: error});
}
