import {END_FAULTS_QUERY} from '../../core/documents/queries.ts';
import {FAULTS} from '../../core/documents/requests.ts';
import type {Owner} from '../../core/domain/access/owner.ts';
import type {Fault, FaultList, Faults} from '../../core/domain/faults/fault.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Route, RouteHandler} from '../core/route.ts';
import {assertOwner} from './own-callers.ts';
import {readParameters, withBody, withoutQuery} from './read-parameters.ts';

/** `/api/faults`: faults for testing plugins. Pages can read them; only those of the owner change them. */
export function faultRoutes(faults: Faults, owner: Owner): readonly Route[] {
  const change = (make: (given: readonly Fault[]) => FaultList): RouteHandler => {
    const changed = withBody(FAULTS.bytesMax, body => make(FAULTS.read(body).faults));
    return call => {
      assertOwner(call.request, owner);
      return changed(call);
    };
  };
  return [
    {
      path: '/api/faults',
      needs: 'admin',
      GET: withoutQuery(() => faults.list()),
      PUT: change(given => faults.set(given)),
      POST: change(given => faults.add(given)),
      DELETE: async ({request, query}) => {
        assertOwner(request, owner);
        const {kind} = readParameters(query, END_FAULTS_QUERY);
        return jsonAnswer(kind === undefined ? faults.set([]) : faults.end(kind));
      },
    },
  ];
}
