/** Removes scheme, credentials and host of an absolute target (RFC 9112 section 3.2.2); the host is in the headers. */
export function withoutAuthority(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]{0,20}:\/\/[^/?#]*/i, '');
}
