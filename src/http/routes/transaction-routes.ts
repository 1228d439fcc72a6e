import {ANY_CALLER, type Caller} from '../../domain/access/access.ts';
import type {Transaction} from '../../domain/entries/entries.ts';
import {AppError} from '../../failures/app-error.ts';
import {readTransaction} from '../../protocol/transaction/read-transaction.ts';
import {formatCommitted} from '../../protocol/transaction/write-transaction.ts';
import {readJsonBody} from '../core/body.ts';
import {answer, type HttpRequest} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import type {EntryRoutesDeps} from './routes-deps.ts';

/** `/api/transactions`: many entries, all or nothing. */
export function transactionRoutes({entries, store, limits}: EntryRoutesDeps): readonly Route[] {
  return [
    {
      path: '/api/transactions',
      // Before the body, which may be large. Each entry is judged when it is known.
      needs: 'some-entry:use',
      POST: async ({request, caller, query}) => {
        assertNoQuery(query);
        const transaction = readTransaction(await readDocument(request, limits.transactionBytesMax), limits);
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

async function readDocument(request: HttpRequest, sizeBytesMax: number): Promise<Uint8Array> {
  try {
    return await readJsonBody(request, sizeBytesMax);
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'value-too-large') throw error;
    // The whole transaction is too large, not a single value.
    throw new AppError({...error.failure, code: 'transaction-too-large'}, {cause: error});
  }
}
