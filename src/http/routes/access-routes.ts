import {CODE_BYTES_MAX, readCodeExchange} from '../../documents/requests.ts';
import type {Owner} from '../../domain/access/owner.ts';
import {bearerTokenOf} from '../../protocol/headers/bearer-token.ts';
import {formatOwnerCode, formatPageToken} from '../../protocol/owner.ts';
import {readJsonBody} from '../core/body.ts';
import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import {assertOwnCaller} from './own-callers.ts';

/** `/api/access/…`: codes, with which a page of the console gets a token of the owner. */
export function accessRoutes(owner: Owner): readonly Route[] {
  return [
    {
      path: '/api/access/codes',
      needs: 'by-operation',
      POST: ({request, query}) => {
        assertOwnCaller(request);
        assertNoQuery(query);
        return answer(formatOwnerCode(owner.createCode(bearerTokenOf(request.rawHeaders))), {status: 201});
      },
    },
    {
      path: '/api/access/page-tokens',
      needs: 'by-operation',
      POST: async ({request, query}) => {
        assertOwnCaller(request);
        assertNoQuery(query);
        const code = readCodeExchange(await readJsonBody(request, CODE_BYTES_MAX));
        return answer(formatPageToken(owner.exchangeCode(code)), {status: 201});
      },
    },
  ];
}
