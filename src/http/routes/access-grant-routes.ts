import {REVOKE_QUERY} from '../../documents/queries.ts';
import {GRANT_REQUEST_BYTES_MAX, readGrantRequest} from '../../documents/requests.ts';
import {formatGrants} from '../../protocol/access-grants.ts';
import {formatRefused} from '../../protocol/refused-requests.ts';
import {readJsonBody} from '../core/body.ts';
import {answer} from '../core/message.ts';
import {decodeName, type Route} from '../core/route.ts';
import {assertNoQuery, withoutQuery} from './no-query.ts';
import {forOwner} from './own-callers.ts';
import {readParameters} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';

/** `/api/access/grants`: permissions of plugins; `/api/access/refused`: what they were refused. For the owner. */
export function accessGrantRoutes({owner, grants, refused}: RoutesDeps['access']): readonly Route[] {
  return [
    {
      path: '/api/access/grants',
      needs: 'by-operation',
      operations: {
        GET: forOwner(
          owner,
          withoutQuery(() => formatGrants(grants.list())),
        ),
        POST: forOwner(owner, async ({request, query}) => {
          assertNoQuery(query);
          await grants.grant(readGrantRequest(await readJsonBody(request, GRANT_REQUEST_BYTES_MAX)));
          return answer(formatGrants(grants.list()));
        }),
      },
    },
    {
      path: '/api/access/refused',
      needs: 'by-operation',
      operations: {
        GET: forOwner(owner, ({query}) => {
          assertNoQuery(query);
          return answer(formatRefused(refused.list()));
        }),
      },
    },
    {
      path: '/api/access/grants/{plugin}',
      needs: 'by-operation',
      operations: {
        DELETE: forOwner(owner, async ({segments: [plugin = ''], query}) => {
          const {permission} = readParameters(query, REVOKE_QUERY);
          await grants.revoke(decodeName(plugin), permission);
          return answer(formatGrants(grants.list()));
        }),
      },
    },
  ];
}
