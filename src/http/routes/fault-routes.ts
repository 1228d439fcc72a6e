import {END_FAULTS_QUERY} from '../../core/documents/queries.ts';
import {FAULTS} from '../../core/documents/requests.ts';
import type {Owner} from '../../core/domain/access/owner.ts';
import type {Faults} from '../../core/domain/faults/fault.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {forOwnerOrPrograms} from './own-callers.ts';
import {readParameters, withDocument, withoutQuery} from './read-parameters.ts';

/** `/api/faults`: faults for testing plugins. Pages can read them; only those of the owner change them. */
export function faultRoutes(faults: Faults, owner: Owner): readonly Route[] {
  const only = forOwnerOrPrograms(owner);
  return [
    {
      path: '/api/faults',
      needs: 'admin',
      GET: withoutQuery(() => faults.list()),
      PUT: only(withDocument(FAULTS, given => faults.set(given.faults))),
      POST: only(withDocument(FAULTS, given => faults.add(given.faults))),
      DELETE: only(async ({query}) => {
        const {kind} = readParameters(query, END_FAULTS_QUERY);
        return jsonAnswer(kind === undefined ? faults.set([]) : faults.end(kind));
      }),
    },
  ];
}
