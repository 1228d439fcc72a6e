import {type Entries, TRANSACTION_BYTES_MAX} from '../../domain/entries.ts';
import {AppError} from '../../domain/failure.ts';
import type {StoreId} from '../../domain/store-id.ts';
import {readTransaction, type TransactionReading} from '../../protocol/read-transaction.ts';
import {readJsonBody} from '../core/body.ts';
import {type HttpRequest, jsonAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {refuseQuery} from './no-query.ts';

/** What the route of transactions needs. */
export interface TransactionRoutesDeps extends TransactionReading {
  readonly entries: Entries;
  readonly storeId: StoreId;
}

/** `/api/transactions`: many entries, all or nothing. */
export function transactionRoutes({entries, storeId, ...reading}: TransactionRoutesDeps): readonly Route[] {
  return [
    {
      path: '/api/transactions',
      operations: {
        POST: async ({request, query}) => {
          refuseQuery(query);
          const transaction = await readTransaction(await readDocument(request), reading);
          const {revision} = await entries.transact(transaction);
          return jsonAnswer({storeId, revision: String(revision)});
        },
      },
    },
  ];
}

async function readDocument(request: HttpRequest): Promise<Uint8Array> {
  try {
    return await readJsonBody(request, TRANSACTION_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'value-too-large') throw error;
    // It is no single value that is too large here.
    throw new AppError({...error.failure, code: 'transaction-too-large'}, {cause: error});
  }
}
