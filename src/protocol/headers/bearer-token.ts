import {headerValues} from './raw-headers.ts';

/** Returns the token in the `Authorization` of a request (RFC 6750 section 2.1); undefined without one, and with several. */
export function bearerTokenOf(rawHeaders: readonly string[]): string | undefined {
  const [value = '', second] = headerValues(rawHeaders, 'authorization');
  return second === undefined ? /^Bearer +([A-Za-z0-9._~+/-]{1,200}=*)$/i.exec(value)?.[1] : undefined;
}
