import type {AllowedOrigins} from '../../domain/allowed-origins.ts';
import type {Owner} from '../../domain/owner.ts';
import {ALLOWED_ORIGIN_BYTES_MAX, formatAllowedOrigins, readAllowedOrigin} from '../../protocol/allowed-origins.ts';
import {readJsonBody} from '../core/body.ts';
import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import {assertOwnCaller, assertOwner} from './own-callers.ts';

/** `/api/allowed-origins`: origins whose pages may call, and those that were refused. Pages of other origins read neither; only the owner's change them. */
export function allowedOriginRoutes(origins: AllowedOrigins, owner: Owner): readonly Route[] {
  return [
    {
      path: '/api/allowed-origins',
      operations: {
        GET: ({request, query}) => {
          assertOwnCaller(request);
          assertNoQuery(query);
          return answer(formatAllowedOrigins(origins.list()));
        },
        POST: async ({request, query}) => {
          assertOwner(request, owner);
          assertNoQuery(query);
          const origin = readAllowedOrigin(await readJsonBody(request, ALLOWED_ORIGIN_BYTES_MAX));
          return answer(formatAllowedOrigins(origins.allow(origin)));
        },
      },
    },
  ];
}
