import {createStoreId, STORE_ID_BYTES} from '../../../domain/entries/store-id.ts';
import {AppError} from '../../../failures/app-error.ts';
import type {StoreClock} from '../../plan/store-clock.ts';
import {ABSENT, type Driver, type EngineFailure} from './driver.ts';
import {ALL_KEYS, HEAD_KEY} from './engine-keys.ts';
import {createHead, decodeHead, encodeHead, type KnownHead, replaceHead, writtenHead} from './head.ts';
import {HEAD_ONLY, moveStaged} from './staging.ts';

export interface OpenHeadOptions {
  readonly clock: StoreClock;
  /** Id of this process. */
  readonly writer: string;
  /** Returns random bytes, for the id of a new store. */
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  /** Gives the store a new id. @default {false} */
  readonly newStoreId?: boolean | undefined;
}

/**
 * Reads the head of the store in an engine; creates one if nothing is stored there.
 *
 * @throws {AppError} `store-unavailable` if something else is stored there.
 * @throws {EngineFailure}
 */
export async function openHead(
  driver: Driver,
  {clock, writer, randomBytes, newStoreId = false}: OpenHeadOptions,
): Promise<KnownHead> {
  for (;;) {
    const [found] = await driver.read([HEAD_KEY]);
    if (found !== undefined) {
      const known = decodeHead(found);
      if (known === undefined) throw foreign('it has a head of another format');
      clock.raise(known.head.clockMs);
      if (newStoreId) {
        if (known.head.staged !== undefined) {
          // The group is committed, with the id that the store has had until now.
          await moveStaged(driver, known);
          continue;
        }
        const head = {...known.head, id: createStoreId(randomBytes(STORE_ID_BYTES))};
        const answer = await driver.compareAndWrite({...replaceHead(known, head), ...HEAD_ONLY});
        if (answer.kind === 'conflict') continue;
        return writtenHead(head, answer.version);
      }
      return known;
    }
    const [other] = await driver.range({...ALL_KEYS, limit: 1, keysOnly: true});
    // Another process may have created the store since.
    if (other !== undefined && other.key !== HEAD_KEY) {
      if ((await driver.read([HEAD_KEY]))[0] !== undefined) continue;
      throw foreign(`it has the key ${JSON.stringify(other.key.slice(0, 100))}, but no head`);
    }
    const head = createHead(createStoreId(randomBytes(STORE_ID_BYTES)), clock.now(), writer);
    const guard = {key: HEAD_KEY, version: ABSENT, value: encodeHead(head)};
    const answer = await driver.compareAndWrite({...guard, ...HEAD_ONLY});
    if (answer.kind === 'written') return writtenHead(head, answer.version);
  }
}

/** Returns the failure of a store whose engine did not answer. */
export function unavailable(error: EngineFailure): AppError {
  return new AppError({code: 'store-unavailable', problem: error.message}, {cause: error});
}

function foreign(found: string): AppError {
  const problem = `the prefix in the engine does not hold a store of Crewroom: ${found}`;
  return new AppError({code: 'store-unavailable', problem});
}
