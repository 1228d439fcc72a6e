import {readTokenRequest, TOKEN_REQUEST_BYTES_MAX} from '../../documents/requests.ts';
import type {AccessTokens} from '../../domain/access/access.ts';
import type {Owner} from '../../domain/access/owner.ts';
import {formatCreatedToken, formatTokens} from '../../protocol/access-tokens.ts';
import {readJsonBody} from '../core/body.ts';
import {answer} from '../core/message.ts';
import {decodeName, type Route} from '../core/route.ts';
import {assertNoQuery, withoutQuery} from './no-query.ts';
import {forOwner} from './own-callers.ts';

/** `/api/access/tokens`: tokens of programs, for the owner. */
export function accessTokenRoutes(tokens: AccessTokens, owner: Pick<Owner, 'isOwner'>): readonly Route[] {
  return [
    {
      path: '/api/access/tokens',
      needs: 'by-operation',
      operations: {
        GET: forOwner(
          owner,
          withoutQuery(() => formatTokens(tokens.list())),
        ),
        POST: forOwner(owner, async ({request, query}) => {
          assertNoQuery(query);
          const requested = readTokenRequest(await readJsonBody(request, TOKEN_REQUEST_BYTES_MAX));
          return answer(formatCreatedToken(await tokens.create(requested)), {status: 201});
        }),
      },
    },
    {
      path: '/api/access/tokens/{token}',
      needs: 'by-operation',
      operations: {
        DELETE: forOwner(owner, async ({segments: [name = ''], query}) => {
          assertNoQuery(query);
          await tokens.revoke(decodeName(name));
          return answer('{}');
        }),
      },
    },
  ];
}
