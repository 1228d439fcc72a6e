import {readTokenRequest, TOKEN_REQUEST_BYTES_MAX} from '../../documents/requests.ts';
import type {AccessTokens} from '../../domain/access/access.ts';
import type {Owner} from '../../domain/access/owner.ts';
import {formatCreatedToken, formatTokens} from '../../protocol/access-tokens.ts';
import {decodeName, type Route} from '../core/route.ts';
import {withBody, withoutQuery} from './no-query.ts';
import {forOwner} from './own-callers.ts';

/** `/api/access/tokens`: tokens of programs, for the owner. */
export function accessTokenRoutes(tokens: AccessTokens, owner: Pick<Owner, 'isOwner'>): readonly Route[] {
  const only = forOwner(owner);
  const create = async (body: Uint8Array): Promise<string> =>
    formatCreatedToken(await tokens.create(readTokenRequest(body)));
  return [
    {
      path: '/api/access/tokens',
      needs: 'by-operation',
      GET: only(withoutQuery(() => formatTokens(tokens.list()))),
      POST: only(withBody(TOKEN_REQUEST_BYTES_MAX, create, 201)),
    },
    {
      path: '/api/access/tokens/{token}',
      needs: 'by-operation',
      DELETE: only(withoutQuery(({segments: [name = '']}) => tokens.revoke(decodeName(name)).then(() => '{}'))),
    },
  ];
}
