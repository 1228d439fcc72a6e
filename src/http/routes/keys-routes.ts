import {DELETE_RANGE_QUERY, LIST_QUERY} from '../../documents/queries.ts';
import {formatListing} from '../../protocol/listing.ts';
import {nextTick} from '../../time/next-tick.ts';
import {answer, type HttpAnswer, jsonAnswer} from '../core/message.ts';
import {parseQuery, type Route} from '../core/route.ts';
import {readParameters} from './read-parameters.ts';
import type {EntryRoutesDeps} from './routes-deps.ts';

/** `/api/keys`: many entries. */
export function keysRoutes({entries, store, limits}: EntryRoutesDeps): readonly Route[] {
  const oneByOne = createSequence();
  return [
    {
      path: '/api/keys',
      needs: {
        read: ({query}) => `entries:read:${parseQuery(query)['prefix'] ?? ''}`,
        change: ({query}) => `entries:write:${parseQuery(query)['prefix'] ?? ''}`,
      },
      GET: async ({request, query}) => {
        const options = readParameters(query, LIST_QUERY);
        const make = async (): Promise<HttpAnswer> =>
          answer(formatListing({storeId: store.id, page: await entries.list(options)}));
        if (!options.values) return make();
        return oneByOne(() => {
          request.reserveMemory(limits.listValuesBytesMax);
          return make();
        });
      },
      DELETE: async ({query, caller}) => {
        const {prefix} = readParameters(query, DELETE_RANGE_QUERY);
        return jsonAnswer({deleted: await entries.deleteRange({prefix, writtenBy: caller.principal})});
      },
    },
  ];
}

/**
 * Creates a function that runs actions one after the other. Pages with values are created in sequence: each is counted
 * with its own size before the next reserves memory. Most are far smaller than the largest, for which memory is reserved.
 */
function createSequence(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  return action => {
    const done = last.then(action);
    // Wait for a tick of the event loop: only then can clients read answers, and evicted connections free their memory.
    last = done.then(nextTick, nextTick);
    return done;
  };
}
