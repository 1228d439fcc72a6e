import type {Faults} from '../../domain/fault.ts';
import {FAULTS_BYTES_MAX, formatFaults, readFaults} from '../../protocol/faults.ts';
import {readJsonBody} from '../core/body.ts';
import {memoize} from '../core/memoize.ts';
import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import {assertOwnCaller} from './own-callers.ts';

/** `/api/faults`: faults for testing plugins. Pages of other origins can read them, and change nothing. */
export function faultRoutes(faults: Faults): readonly Route[] {
  const readQuery = memoize(async () => {
    const {END_FAULTS_QUERY, readParameters} = await import('../openapi/parameters.ts');
    return (query: string) => readParameters(query, END_FAULTS_QUERY);
  });
  return [
    {
      path: '/api/faults',
      operations: {
        GET: ({query}) => {
          assertNoQuery(query);
          return answer(formatFaults(faults.list()));
        },
        PUT: async ({request, query}) => {
          assertOwnCaller(request);
          assertNoQuery(query);
          return answer(formatFaults(faults.set(readFaults(await readJsonBody(request, FAULTS_BYTES_MAX)))));
        },
        POST: async ({request, query}) => {
          assertOwnCaller(request);
          assertNoQuery(query);
          return answer(formatFaults(faults.add(readFaults(await readJsonBody(request, FAULTS_BYTES_MAX)))));
        },
        DELETE: async ({request, query}) => {
          assertOwnCaller(request);
          const {kind} = (await readQuery())(query);
          return answer(formatFaults(kind === undefined ? faults.set([]) : faults.end(kind)));
        },
      },
    },
  ];
}
