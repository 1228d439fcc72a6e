import {ALLOWED_ORIGIN_BYTES_MAX, readAllowedOrigin} from '../../documents/requests.ts';
import type {AllowedOrigins} from '../../domain/access/allowed-origins.ts';
import type {Owner} from '../../domain/access/owner.ts';
import {formatAllowedOrigins} from '../../protocol/allowed-origins.ts';
import {readJsonBody} from '../core/body.ts';
import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import {assertMayChangeAccess, assertOwnCaller, assertOwner} from './own-callers.ts';

/** `/api/allowed-origins`: origins whose pages may call, and those that were refused. Pages of other origins read neither; only the owner's change them. */
export function allowedOriginRoutes(origins: AllowedOrigins, owner: Owner): readonly Route[] {
  return [
    {
      path: '/api/allowed-origins',
      needs: {read: 'admin', change: 'by-operation'},
      GET: ({request, query}) => {
        assertOwnCaller(request);
        assertNoQuery(query);
        return answer(formatAllowedOrigins(origins.list()));
      },
      POST: async call => {
        const {request, query} = call;
        assertOwner(request, owner);
        assertMayChangeAccess(call);
        assertNoQuery(query);
        const origin = readAllowedOrigin(await readJsonBody(request, ALLOWED_ORIGIN_BYTES_MAX));
        return answer(formatAllowedOrigins(origins.allow(origin)));
      },
    },
  ];
}
