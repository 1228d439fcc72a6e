import {TOKEN_REQUEST} from '../../documents/requests.ts';
import type {AccessTokens} from '../../domain/access/access.ts';
import type {Owner} from '../../domain/access/owner.ts';
import {formatTokens} from '../../protocol/access-tokens.ts';
import {readExpiryMember} from '../../protocol/text/read-document.ts';
import {decodeName, type Route} from '../core/route.ts';
import {withDocument, withoutQuery} from './no-query.ts';
import {forOwner} from './own-callers.ts';

/** `/api/access/tokens`: tokens of programs, for the owner. */
export function accessTokenRoutes(tokens: AccessTokens, owner: Pick<Owner, 'isOwner'>): readonly Route[] {
  const only = forOwner(owner);
  return [
    {
      path: '/api/access/tokens',
      needs: 'by-operation',
      GET: only(withoutQuery(() => formatTokens(tokens.list()))),
      POST: only(
        withDocument(
          TOKEN_REQUEST,
          async ({expiresAt, ...requested}) => ({
            token: await tokens.create({...requested, ...readExpiryMember(expiresAt)}),
          }),
          201,
        ),
      ),
    },
    {
      path: '/api/access/tokens/{token}',
      needs: 'by-operation',
      DELETE: only(withoutQuery(({segments: [name = '']}) => tokens.revoke(decodeName(name)).then(() => '{}'))),
    },
  ];
}
