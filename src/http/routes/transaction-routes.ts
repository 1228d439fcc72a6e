import {AppError} from '../../domain/app-error.ts';
import type {Entries} from '../../domain/entries.ts';
import type {Limits} from '../../domain/limits.ts';
import type {StoreId} from '../../domain/store-id.ts';
import {readTransaction, type TransactionReading} from '../../protocol/transaction/read-transaction.ts';
import {formatCommitted} from '../../protocol/transaction/write-transaction.ts';
import {readJsonBody} from '../core/body.ts';
import {answer, type HttpRequest} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';

/** Dependencies of {@link transactionRoutes}. */
export interface TransactionRoutesDeps extends Pick<TransactionReading, 'pause'> {
  readonly entries: Pick<Entries, 'transact'>;
  readonly storeId: StoreId;
  readonly limits: Limits;
}

/** `/api/transactions`: many entries, all or nothing. */
export function transactionRoutes({entries, storeId, limits, pause}: TransactionRoutesDeps): readonly Route[] {
  return [
    {
      path: '/api/transactions',
      operations: {
        POST: async ({request, query}) => {
          assertNoQuery(query);
          const transaction = await readTransaction(await readDocument(request, limits.transactionBytesMax), {
            limits,
            pause,
          });
          const {revision} = await entries.transact(transaction);
          return answer(formatCommitted({storeId, revision}));
        },
      },
    },
  ];
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
