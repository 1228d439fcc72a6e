import type {AccessTokens} from '../../domain/access.ts';
import {AppError} from '../../domain/app-error.ts';
import type {Owner} from '../../domain/owner.ts';
import {
  formatCreatedToken,
  formatTokens,
  readTokenRequest,
  TOKEN_REQUEST_BYTES_MAX,
} from '../../protocol/access-tokens.ts';
import {bearerTokenOf} from '../../protocol/headers/bearer-token.ts';
import {readJsonBody} from '../core/body.ts';
import {answer, type HttpAnswer} from '../core/message.ts';
import {type Call, decodeName, type Operation, type Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';
import {assertOwnCaller} from './own-callers.ts';

/** `/api/access/tokens`: tokens of programs, for the owner. */
export function accessTokenRoutes(tokens: AccessTokens, owner: Pick<Owner, 'isOwner'>): readonly Route[] {
  const forOwner =
    (operation: (call: Call) => Promise<HttpAnswer>): Operation =>
    async call => {
      const {request, query} = call;
      assertOwnCaller(request);
      // Programs too: otherwise each could give itself a token that outlives it.
      if (!owner.isOwner(bearerTokenOf(request.rawHeaders))) throw new AppError({code: 'owner-required'});
      assertNoQuery(query);
      return operation(call);
    };
  return [
    {
      path: '/api/access/tokens',
      needs: 'by-operation',
      operations: {
        GET: forOwner(async () => answer(formatTokens(tokens.list()))),
        POST: forOwner(async ({request}) => {
          const requested = readTokenRequest(await readJsonBody(request, TOKEN_REQUEST_BYTES_MAX));
          return answer(formatCreatedToken(await tokens.create(requested)), {status: 201});
        }),
      },
    },
    {
      path: '/api/access/tokens/{token}',
      needs: 'by-operation',
      operations: {
        DELETE: forOwner(async ({segments: [name = '']}) => {
          await tokens.revoke(decodeName(name));
          return answer('{}');
        }),
      },
    },
  ];
}
