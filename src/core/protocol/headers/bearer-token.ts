import {hasOwnToken} from '../../domain/access/access.ts';
import {BACKGROUND_TOKEN_HEADER} from './background-token.ts';
import {headerPairs, headerValues} from './raw-headers.ts';

/** Returns the token in a request's `Authorization` (RFC 6750 section 2.1); undefined without one, and with several. */
export function bearerTokenOf(rawHeaders: readonly string[]): string | undefined {
  const [value = '', second] = headerValues(rawHeaders, 'authorization');
  return second === undefined ? /^Bearer +([A-Za-z0-9._~+/-]{1,200}=*)$/i.exec(value)?.[1] : undefined;
}

/**
 * Returns the headers of a request as a background gets them: without tokens of the service, and without cookies, which other programs of this
 * machine have set for all ports. Other credentials stay.
 */
export function forBackground(rawHeaders: readonly string[]): readonly string[] {
  const pairs = [...headerPairs(rawHeaders)];
  return pairs.some(isWithheld) ? pairs.filter(pair => !isWithheld(pair)).flat() : rawHeaders;
}

function isWithheld([name, value]: readonly [name: string, value: string]): boolean {
  const lower = name.toLowerCase();
  return lower === BACKGROUND_TOKEN_HEADER || lower === 'cookie' || (lower === 'authorization' && hasOwnToken(value));
}
