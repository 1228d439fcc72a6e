import {DELETE_RANGE_QUERY, HISTORY_QUERY, LIST_QUERY} from '../../core/documents/queries.ts';
import {ANY_CALLER, type Caller} from '../../core/domain/access/access.ts';
import type {Transaction} from '../../core/domain/entries/entries.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {formatHistoryPage} from '../../core/protocol/history.ts';
import {formatListing} from '../../core/protocol/listing.ts';
import {readTransaction} from '../../core/protocol/transaction/read-transaction.ts';
import {formatCommitted} from '../../core/protocol/transaction/write-transaction.ts';
import {nextTick} from '../../core/time/next-tick.ts';
import {readJsonBody} from '../core/body.ts';
import {answer, type HttpAnswer, jsonAnswer} from '../core/message.ts';
import {type Call, parseQuery, type Route} from '../core/route.ts';
import {assertNoQuery, readParameters} from './read-parameters.ts';
import type {EntryRoutesDeps} from './routes-deps.ts';

/** `/api/keys`: many entries. `/api/history`: the earlier values of one. */
export function keysRoutes({entries, store, limits}: EntryRoutesDeps): readonly Route[] {
  const oneByOne = createSequence();
  const withValues = (request: Call['request'], make: () => Promise<HttpAnswer>): Promise<HttpAnswer> =>
    oneByOne(() => {
      request.reserveMemory(limits.listValuesBytesMax);
      return make();
    });
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
        return options.values ? withValues(request, make) : make();
      },
      DELETE: async ({query, caller}) => {
        const {prefix} = readParameters(query, DELETE_RANGE_QUERY);
        return jsonAnswer({deleted: await entries.deleteRange({prefix, writtenBy: caller.principal})});
      },
    },
    {
      path: '/api/history',
      needs: {read: ({query}) => `entries:read:${parseQuery(query)['key'] ?? ''}`, change: 'nothing'},
      GET: async ({request, query}) => {
        const {key, ...options} = readParameters(query, HISTORY_QUERY);
        const checked = parseKey(key);
        return withValues(request, async () =>
          answer(formatHistoryPage({storeId: store.id, page: await entries.history(checked, options)}, checked)),
        );
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

/** `/api/transactions`: many entries, all or nothing. */
export function transactionRoutes({entries, store, limits}: EntryRoutesDeps): readonly Route[] {
  return [
    {
      path: '/api/transactions',
      // Before the body, which may be large. Each entry is judged when it is known.
      needs: 'some-entry:use',
      POST: async ({request, caller, query}) => {
        assertNoQuery(query);
        const body = await readJsonBody(request, limits.transactionBytesMax, 'transaction');
        const transaction = readTransaction(body, limits);
        assertMayTransact(caller, transaction);
        const {revision} = await entries.transact(transaction, {
          writtenBy: caller.principal,
          hasCheckedValues: true,
        });
        return answer(formatCommitted({storeId: store.id, revision}));
      },
    },
  ];
}

/** Asserts that a caller may read what a transaction checks, and write what it changes. @throws {AppError} `permission-required`. */
function assertMayTransact(caller: Caller, {checks = [], operations}: Transaction): void {
  if (caller === ANY_CALLER) return;
  // It answers the revision of the store.
  if (checks.length + operations.length === 0) caller.assertMay('some-entry:read');
  for (const {key} of checks) caller.assertMay(`entries:read:${key}`);
  for (const {key} of operations) caller.assertMay(`entries:write:${key}`);
}
