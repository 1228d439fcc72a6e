import {ALLOWED_ORIGIN} from '../../documents/requests.ts';
import type {AllowedOrigins} from '../../domain/access/allowed-origins.ts';
import type {Owner} from '../../domain/access/owner.ts';
import {formatAllowedOrigins} from '../../protocol/allowed-origins.ts';
import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery, withDocument} from './no-query.ts';
import {assertMayChangeAccess, assertOwnCaller, assertOwner} from './own-callers.ts';

/** `/api/allowed-origins`: origins whose pages may call, and those that were refused. Pages of other origins read neither; only the owner's change them. */
export function allowedOriginRoutes(origins: AllowedOrigins, owner: Owner): readonly Route[] {
  const allow = withDocument(ALLOWED_ORIGIN, ({origin}) => formatAllowedOrigins(origins.allow(origin)));
  return [
    {
      path: '/api/allowed-origins',
      needs: {read: 'admin', change: 'by-operation'},
      GET: ({request, query}) => {
        assertOwnCaller(request);
        assertNoQuery(query);
        return answer(formatAllowedOrigins(origins.list()));
      },
      POST: call => {
        assertOwner(call.request, owner);
        assertMayChangeAccess(call);
        return allow(call);
      },
    },
  ];
}
