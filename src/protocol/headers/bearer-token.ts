import {hasOwnToken} from '../../domain/access/access.ts';
import {BACKGROUND_TOKEN_HEADER} from './background-token.ts';
import {headerPairs, headerValues} from './raw-headers.ts';

/** Returns the token in the `Authorization` of a request (RFC 6750 section 2.1); undefined without one, and with several. */
export function bearerTokenOf(rawHeaders: readonly string[]): string | undefined {
  const [value = '', second] = headerValues(rawHeaders, 'authorization');
  return second === undefined ? /^Bearer +([A-Za-z0-9._~+/-]{1,200}=*)$/i.exec(value)?.[1] : undefined;
}

/** Returns the headers of a request without tokens of the service, for programs that must not have them. Other credentials stay. */
export function withoutOwnTokens(rawHeaders: readonly string[]): readonly string[] {
  const pairs = [...headerPairs(rawHeaders)];
  return pairs.some(isOwnToken) ? pairs.filter(pair => !isOwnToken(pair)).flat() : rawHeaders;
}

function isOwnToken([name, value]: readonly [name: string, value: string]): boolean {
  const lower = name.toLowerCase();
  return lower === BACKGROUND_TOKEN_HEADER || (lower === 'authorization' && hasOwnToken(value));
}
