import {DELETE_RANGE_QUERY, LIST_QUERY} from '../../documents/queries.ts';
import type {CheckedEntries} from '../../domain/checked-entries.ts';
import type {ListOptions, Page} from '../../domain/entries.ts';
import type {EntryInfo} from '../../domain/entry.ts';
import type {Limits} from '../../domain/limits.ts';
import type {Store} from '../../domain/store.ts';
import {formatDeleted, formatListing} from '../../protocol/listing.ts';
import {nextTick} from '../../time/next-tick.ts';
import {KeptPages} from '../core/kept-pages.ts';
import {answer, type HttpAnswer} from '../core/message.ts';
import {parseQuery, type Route} from '../core/route.ts';
import {readParameters} from './read-parameters.ts';

export interface KeysRoutesDeps {
  readonly entries: Pick<CheckedEntries, 'list' | 'listMoment' | 'deleteRange'>;
  readonly store: Pick<Store, 'id'>;
  readonly limits: Limits;
}

/** `/api/keys`: many entries. */
export function keysRoutes({entries, store, limits}: KeysRoutesDeps): readonly Route[] {
  const oneByOne = createSequence();
  const pages = new KeptPages();
  return [
    {
      path: '/api/keys',
      needs: {
        read: ({query}) => `entries:read:${parseQuery(query)['prefix'] ?? ''}`,
        change: ({query}) => `entries:write:${parseQuery(query)['prefix'] ?? ''}`,
      },
      operations: {
        GET: async ({request, query}) => {
          const now = entries.listMoment();
          const kept = now && pages.find(query, now);
          if (kept !== undefined) return kept;
          const options = readParameters(query, LIST_QUERY);
          const make = async (): Promise<HttpAnswer> => {
            const before = entries.listMoment();
            const page = await entries.list(options);
            const text = formatListing({storeId: store.id, page});
            const expiresAtMs = pages.wasAsked(query, before) ? await findExpiry(page, options, entries) : 0;
            return pages.add(query, {text, expiresAtMs}, {before, after: entries.listMoment()});
          };
          if (!options.values) return make();
          return oneByOne(() => {
            request.reserveMemory(limits.listValuesBytesMax);
            return make();
          });
        },
        DELETE: async ({query, caller}) => {
          const {prefix} = readParameters(query, DELETE_RANGE_QUERY);
          return answer(formatDeleted(await entries.deleteRange({prefix, writtenBy: caller.principal})));
        },
      },
    },
  ];
}

/**
 * Returns the time at which a page changes although the store does not, in milliseconds since the Unix epoch: when the first of its entries
 * expires, or the entry behind it, without which it has no cursor.
 */
async function findExpiry(
  {entries, next}: Page<EntryInfo>,
  options: ListOptions,
  source: Pick<CheckedEntries, 'list'>,
): Promise<number> {
  const list = async (after: string): Promise<readonly EntryInfo[]> =>
    (await source.list({...options, after, limit: 1, values: false})).entries;
  const behind = next === undefined ? [] : await list(next);
  // It has expired since the page was read.
  if (next !== undefined && behind.length === 0) return 0;
  return [...entries, ...behind].reduce((first, {expiresAtMs = Infinity}) => Math.min(first, expiresAtMs), Infinity);
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
