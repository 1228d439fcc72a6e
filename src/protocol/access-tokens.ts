import type {AccessToken, Permission, RequestedToken} from '../domain/access/access.ts';
import {formatTime} from './text/format-time.ts';
import {readDocument, readExpiryMember, readTime} from './text/read-document.ts';

/** A token on the wire. */
interface TokenDocument {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
}

/** Writes the tokens of programs. */
export function formatTokens(tokens: readonly AccessToken[]): string {
  const documents = tokens.map(({createdAtMs, expiresAtMs, ...token}): TokenDocument => {
    const expiry = expiresAtMs === undefined ? {} : {expiresAt: formatTime(expiresAtMs)};
    return {...token, createdAt: formatTime(createdAtMs), ...expiry};
  });
  return JSON.stringify({tokens: documents});
}

/** Reads what {@link formatTokens} writes. @throws {UnexpectedDocument} */
export function readTokens(json: string): readonly AccessToken[] {
  const {tokens} = readDocument<{readonly tokens: readonly TokenDocument[]}>(json, {
    tokens: [{name: 'string', permissions: ['string'], createdAt: 'string', 'expiresAt?': 'string'}],
  });
  return tokens.map(({name, permissions, createdAt, expiresAt}) => ({
    name,
    // The service has checked them.
    permissions: permissions as readonly Permission[],
    createdAtMs: readTime(createdAt),
    ...readExpiryMember(expiresAt),
  }));
}

/** Writes the body that creates a token: `TOKEN_REQUEST` reads it. */
export function formatTokenRequest({name, permissions, expiresAtMs}: RequestedToken): string {
  const expiry = expiresAtMs === undefined ? {} : {expiresAt: formatTime(expiresAtMs)};
  return JSON.stringify({name, permissions, ...expiry});
}

/** Reads a created token from an answer, with its secret. @throws {UnexpectedDocument} */
export function readCreatedToken(json: string): string {
  return readDocument<{readonly token: string}>(json, {token: 'string'}).token;
}
