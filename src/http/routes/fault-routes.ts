import type {Faults} from '../../domain/fault.ts';
import type {Owner} from '../../domain/owner.ts';
import {FAULTS_BYTES_MAX, formatFaults, readFaults} from '../../protocol/faults.ts';
import {readJsonBody} from '../core/body.ts';
import {memoize} from '../core/memoize.ts';
import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import {assertOwner} from './own-callers.ts';

/** `/api/faults`: faults for testing plugins. Pages can read them; only those of the owner change them. */
export function faultRoutes(faults: Faults, owner: Owner): readonly Route[] {
  const readQuery = memoize(async () => {
    const {END_FAULTS_QUERY, readParameters} = await import('../openapi/parameters.ts');
    return (query: string) => readParameters(query, END_FAULTS_QUERY);
  });
  return [
    {
      path: '/api/faults',
      needs: 'admin',
      operations: {
        GET: ({query}) => {
          assertNoQuery(query);
          return answer(formatFaults(faults.list()));
        },
        PUT: async ({request, query}) => {
          assertOwner(request, owner);
          assertNoQuery(query);
          return answer(formatFaults(faults.set(readFaults(await readJsonBody(request, FAULTS_BYTES_MAX)))));
        },
        POST: async ({request, query}) => {
          assertOwner(request, owner);
          assertNoQuery(query);
          return answer(formatFaults(faults.add(readFaults(await readJsonBody(request, FAULTS_BYTES_MAX)))));
        },
        DELETE: async ({request, query}) => {
          assertOwner(request, owner);
          const {kind} = (await readQuery())(query);
          return answer(formatFaults(kind === undefined ? faults.set([]) : faults.end(kind)));
        },
      },
    },
  ];
}
