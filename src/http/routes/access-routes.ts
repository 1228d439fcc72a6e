import {REVOKE_QUERY} from '../../core/documents/queries.ts';
import {ALLOWED_ORIGIN, CODE_EXCHANGE, GRANT_REQUEST, TOKEN_REQUEST} from '../../core/documents/requests.ts';
import type {AllowedOrigins} from '../../core/domain/access/allowed-origins.ts';
import type {Owner} from '../../core/domain/access/owner.ts';
import {decodeIfEncoded} from '../../core/domain/percent-encoding.ts';
import {bearerTokenOf} from '../../core/protocol/headers/bearer-token.ts';
import {readExpiryMember} from '../../core/protocol/text/read-document.ts';
import {writeDocument} from '../../core/protocol/text/times.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertMayChangeAccess, forOwnCallers, forOwner, forOwnerOrPrograms} from './own-callers.ts';
import {readParameters, withDocument, withoutQuery} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';

type AccessDeps = RoutesDeps['access'];

/** `/api/access/…`: what the owner grants to pages of the console, to programs and to plugins. */
export function accessRoutes(access: AccessDeps): readonly Route[] {
  return [...codeRoutes(access), ...tokenRoutes(access), ...grantRoutes(access)];
}

/** Codes, with which a page of the console gets a token of the owner. */
function codeRoutes({owner}: AccessDeps): readonly Route[] {
  return [
    {
      path: '/api/access/codes',
      needs: 'by-operation',
      POST: forOwnCallers(withoutQuery(({request}) => owner.createCode(bearerTokenOf(request.rawHeaders)), 201)),
    },
    {
      path: '/api/access/page-tokens',
      needs: 'by-operation',
      POST: forOwnCallers(withDocument(CODE_EXCHANGE, ({code}) => ({token: owner.exchangeCode(code)}), 201)),
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

/** Tokens of programs. */
function tokenRoutes({tokens, owner}: AccessDeps): readonly Route[] {
  const only = forOwner(owner);
  return [
    {
      path: '/api/access/tokens',
      needs: 'by-operation',
      GET: only(withoutQuery(() => writeDocument({tokens: tokens.list()}))),
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
      path: '/api/access/tokens/{name}',
      needs: 'by-operation',
      DELETE: only(withoutQuery(({segments: [name = '']}) => tokens.revoke(decodeIfEncoded(name)).then(() => '{}'))),
    },
  ];
}

/** Permissions of plugins, and what they were refused. */
function grantRoutes({owner, grants, refused}: AccessDeps): readonly Route[] {
  const only = forOwner(owner);
  const list = (): object => ({grants: grants.list()});
  return [
    {
      path: '/api/access/grants',
      needs: 'by-operation',
      GET: only(withoutQuery(list)),
      POST: only(withDocument(GRANT_REQUEST, requested => grants.grant(requested).then(list))),
    },
    {
      path: '/api/access/refused',
      needs: 'by-operation',
      GET: only(withoutQuery(() => writeDocument({refused: refused.list()}))),
    },
    {
      path: '/api/access/grants/{plugin}',
      needs: 'by-operation',
      DELETE: only(async ({segments: [plugin = ''], query}) => {
        const {permission} = readParameters(query, REVOKE_QUERY);
        await grants.revoke(decodeIfEncoded(plugin), permission);
        return jsonAnswer(list());
      }),
    },
  ];
}

/** `/api/allowed-origins`: origins whose pages may call, and those that were refused. Pages of other origins read neither; only the owner's change them. */
export function allowedOriginRoutes(origins: AllowedOrigins, owner: Owner): readonly Route[] {
  const allow = withDocument(ALLOWED_ORIGIN, ({origin}) => writeDocument(origins.allow(origin)));
  return [
    {
      path: '/api/allowed-origins',
      needs: {read: 'admin', change: 'by-operation'},
      GET: forOwnCallers(withoutQuery(() => writeDocument(origins.list()))),
      POST: forOwnerOrPrograms(owner)(call => {
        assertMayChangeAccess(call);
        return allow(call);
      }),
    },
  ];
}
