import type {AccessToken, Permission, RequestedToken} from '../domain/access.ts';
import type {DocumentPlace} from '../domain/document-object.ts';
import {readSmallDocument, readStrings} from './small-document.ts';
import {formatTime} from './text/format-time.ts';
import {readDocument, readExpiry, readTime} from './text/read-document.ts';

/** Maximum size of the body that creates a token, in bytes: as many and as long permissions as it may have. */
export const TOKEN_REQUEST_BYTES_MAX = 64 * 1024;

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
    ...readExpiry(expiresAt),
  }));
}

/** Writes the body that creates a token. */
export function formatTokenRequest({name, permissions, expiresAtMs}: RequestedToken): string {
  const expiry = expiresAtMs === undefined ? {} : {expiresAt: formatTime(expiresAtMs)};
  return JSON.stringify({name, permissions, ...expiry});
}

/**
 * Reads what {@link formatTokenRequest} writes.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-token-request` with the path of each problem of the form.
 */
export function readTokenRequest(body: Uint8Array): RequestedToken {
  return readSmallDocument(
    body,
    root => {
      const name = root.string('name') ?? '';
      const permissions = readStrings(root, 'permissions');
      const end = root.has('expiresAt') ? root.value('expiresAt') : undefined;
      return {name, permissions, ...(end === undefined ? {} : {expiresAtMs: readEnd(end)})};
    },
    problems => ({code: 'invalid-token-request', problems}),
  );
}

/** Reads a time, and reports a problem in place of any other value. */
function readEnd({index, span, path, report}: DocumentPlace): number {
  const text = index.isString(span) ? index.string(span) : '';
  const timeMs = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) report({path, problem: 'has to be a time such as "2027-01-31T12:00:00Z"'});
  return timeMs;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Writes a created token as an answer, with its secret. */
export function formatCreatedToken(token: string): string {
  return JSON.stringify({token});
}

/** Reads what {@link formatCreatedToken} writes. @throws {UnexpectedDocument} */
export function readCreatedToken(json: string): string {
  return readDocument<{readonly token: string}>(json, {token: 'string'}).token;
}
