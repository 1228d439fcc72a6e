import {
  type Access,
  type AccessMode,
  ANY_CALLER,
  type Caller,
  type Credentials,
  type GrantedPermissions,
  hasOwnToken,
  OWNER_CALLER,
} from '../../core/domain/access/access.ts';
import type {Owner} from '../../core/domain/access/owner.ts';
import {PrincipalCaller} from './permission.ts';
import {type BackgroundRegister, invalidToken} from './token-hash.ts';
import type {TokenRegister} from './token-register.ts';

export interface AccessDeps {
  readonly mode: AccessMode;
  readonly owner: Pick<Owner, 'isOwner' | 'onPageEnd'>;
  readonly tokens: Pick<TokenRegister, 'admit'>;
  readonly backgrounds: Pick<BackgroundRegister, 'admit'>;
  readonly grants: GrantedPermissions;
}

/**
 * Creates the access of a mode. Credentials of others than this service are ignored: published plugins send those of their airline.
 */
export function createAccess({mode, owner, tokens, backgrounds, grants}: AccessDeps): Access {
  const unknown =
    mode === 'open' ? ANY_CALLER : new PrincipalCaller({mode, principal: undefined, isProved: false, granted: []});
  const pluginCaller = (plugin: string, isProved: boolean): Caller => {
    const parts = {mode, principal: `plugin:${plugin}`, isProved} as const;
    const admitted = mode === 'open' ? [] : grants.of(plugin);
    if (admitted.length === 0) return new PrincipalCaller({...parts, granted: []});
    return new PrincipalCaller({
      ...parts,
      // Looked up again for each action: one may be taken back while a request waits.
      get granted() {
        return grants.of(plugin);
      },
      onEnd: listener => grants.onRevoked(plugin, admitted, listener),
    });
  };
  const withoutToken = ({backgroundTokens, plugin: page, isPageProved = false}: Credentials): Caller => {
    const background = backgroundTokens.length === 0 ? undefined : findBackground(backgroundTokens, backgrounds);
    const plugin = background ?? page;
    return plugin === undefined ? unknown : pluginCaller(plugin, background !== undefined || isPageProved);
  };
  return {
    admit: credentials => {
      const {authorizations} = credentials;
      if (authorizations.some(isEmptyBearer)) throw invalidToken('nothing follows "Bearer"');
      if (!authorizations.some(hasOwnToken)) return withoutToken(credentials);
      const [value = '', second] = authorizations;
      if (second !== undefined) throw invalidToken('the request has more than one Authorization header');
      const [, token] = TOKEN.exec(value) ?? [];
      if (token === undefined)
        throw invalidToken('it is not "crewroom_" and 43 letters, digits, dashes or underscores');
      return owner.isOwner(token) ? ownerWith(token, owner) : tokens.admit(token);
    },
  };
}

/** Returns the owner; one who came with the token of a page loses the rights when that ends. */
function ownerWith(token: string, owner: AccessDeps['owner']): Caller {
  const stop = owner.onPageEnd(token, () => {});
  if (stop === undefined) return OWNER_CALLER;
  stop();
  const onEnd: Caller['onEnd'] = listener => {
    const cancel = owner.onPageEnd(token, listener);
    // Ended between its admission and the beginning of the answer.
    if (cancel === undefined) listener();
    return cancel ?? (() => {});
  };
  return {...OWNER_CALLER, isLasting: false, onEnd};
}

/** Returns the id of the plugin whose background sent a request. @throws {AppError} `invalid-token`. */
function findBackground(
  [token = '', second]: readonly string[],
  backgrounds: Pick<BackgroundRegister, 'admit'>,
): string {
  if (second !== undefined) throw invalidToken('the request has more than one token of a background');
  return backgrounds.admit(token);
}

/** Credentials with one token (RFC 6750 section 2.1). */
const TOKEN = /^Bearer +(crewroom_[A-Za-z0-9_-]{43})$/i;

/** Returns whether credentials lack their token, as when a script reads it from a file that is missing: ignored, they would permit everything. */
function isEmptyBearer(authorization: string): boolean {
  return /^Bearer\s*$/i.test(authorization);
}
