import {REVOKE_QUERY} from '../../documents/queries.ts';
import {GRANT_REQUEST} from '../../documents/requests.ts';
import {formatRefused} from '../../protocol/refused-requests.ts';
import {jsonAnswer} from '../core/message.ts';
import {decodeName, type Route} from '../core/route.ts';
import {withDocument, withoutQuery} from './no-query.ts';
import {forOwner} from './own-callers.ts';
import {readParameters} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';

/** `/api/access/grants`: permissions of plugins; `/api/access/refused`: what they were refused. For the owner. */
export function accessGrantRoutes({owner, grants, refused}: RoutesDeps['access']): readonly Route[] {
  const only = forOwner(owner);
  const list = (): object => ({grants: grants.list()});
  return [
    {
      path: '/api/access/grants',
      needs: 'by-operation',
      GET: only(withoutQuery(list)),
      POST: only(withDocument(GRANT_REQUEST, requested => grants.grant(requested).then(list))),
    },
    {
      path: '/api/access/refused',
      needs: 'by-operation',
      GET: only(withoutQuery(() => formatRefused(refused.list()))),
    },
    {
      path: '/api/access/grants/{plugin}',
      needs: 'by-operation',
      DELETE: only(async ({segments: [plugin = ''], query}) => {
        const {permission} = readParameters(query, REVOKE_QUERY);
        await grants.revoke(decodeName(plugin), permission);
        return jsonAnswer(list());
      }),
    },
  ];
}
