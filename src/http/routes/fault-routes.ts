import {FAULTS_BYTES_MAX, readFaults} from '../../documents/faults.ts';
import {END_FAULTS_QUERY} from '../../documents/queries.ts';
import type {Owner} from '../../domain/access/owner.ts';
import type {Faults} from '../../domain/faults/fault.ts';
import {formatFaults} from '../../protocol/faults.ts';
import {readJsonBody} from '../core/body.ts';
import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import {assertOwner} from './own-callers.ts';
import {readParameters} from './read-parameters.ts';

/** `/api/faults`: faults for testing plugins. Pages can read them; only those of the owner change them. */
export function faultRoutes(faults: Faults, owner: Owner): readonly Route[] {
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
          const {kind} = readParameters(query, END_FAULTS_QUERY);
          return answer(formatFaults(kind === undefined ? faults.set([]) : faults.end(kind)));
        },
      },
    },
  ];
}
