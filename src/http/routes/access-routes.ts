import {CODE_EXCHANGE} from '../../documents/requests.ts';
import type {Owner} from '../../domain/access/owner.ts';
import {bearerTokenOf} from '../../protocol/headers/bearer-token.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery, withDocument, withoutQuery} from './no-query.ts';
import {assertOwnCaller, forOwner} from './own-callers.ts';

/** `/api/access/…`: codes, with which a page of the console gets a token of the owner. */
export function accessRoutes(owner: Owner): readonly Route[] {
  const exchange = withDocument(CODE_EXCHANGE, ({code}) => ({token: owner.exchangeCode(code)}), 201);
  return [
    {
      path: '/api/access/codes',
      needs: 'by-operation',
      POST: ({request, query}) => {
        assertOwnCaller(request);
        assertNoQuery(query);
        return jsonAnswer(owner.createCode(bearerTokenOf(request.rawHeaders)), {status: 201});
      },
    },
    {
      path: '/api/access/page-tokens',
      needs: 'by-operation',
      POST: call => {
        assertOwnCaller(call.request);
        return exchange(call);
      },
    },
    {
      path: '/api/access/pages',
      needs: 'by-operation',
      DELETE: forOwner(owner)(
        withoutQuery(({request}) => {
          owner.endPages(bearerTokenOf(request.rawHeaders));
          return '{}';
        }),
      ),
    },
  ];
}
