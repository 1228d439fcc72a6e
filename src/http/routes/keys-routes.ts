import {setImmediate} from 'node:timers/promises';
import type {Entries} from '../../domain/entries.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {StoreId} from '../../domain/store-id.ts';
import {formatDeleted, formatListing} from '../../protocol/listing.ts';
import {answer, type HttpAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';

/** What the route of many entries needs. */
export interface KeysRoutesDeps {
  readonly entries: Pick<Entries, 'list' | 'deleteRange'>;
  readonly storeId: StoreId;
}

/** `/api/keys`: many entries. */
export function keysRoutes({entries, storeId}: KeysRoutesDeps): readonly Route[] {
  const takeTurn = createTurns();
  return [
    {
      path: '/api/keys',
      operations: {
        GET: async ({request, query}) => {
          const {LIST_QUERY, readParameters} = await import('../openapi/schemas.ts');
          const options = readParameters(query, LIST_QUERY);
          const make = async (): Promise<HttpAnswer> =>
            answer(formatListing({storeId, page: await entries.list(options)}));
          if (!options.values) return make();
          return takeTurn(() => {
            request.makeRoom(DEFAULT_LIMITS.listValuesBytesMax);
            return make();
          });
        },
        DELETE: async ({query}) => {
          const {DELETE_RANGE_QUERY, readParameters} = await import('../openapi/schemas.ts');
          const {prefix} = readParameters(query, DELETE_RANGE_QUERY);
          return answer(formatDeleted(await entries.deleteRange({prefix})));
        },
      },
    },
  ];
}

/**
 * Makes what runs actions one after the other: pages with values are made in turn, so that each counts in memory before
 * the next asks for room. Most are far smaller than the room for the largest, and few would have it at once.
 */
function createTurns(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  return action => {
    const done = last.then(action);
    // In a turn of the event loop of its own: meanwhile nobody takes an answer, and nothing of those that made room is free.
    const pause = (): Promise<void> => setImmediate();
    last = done.then(pause, pause);
    return done;
  };
}
