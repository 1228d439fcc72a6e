import type {Principal} from '../../core/domain/access/access.ts';

/**
 * Encoding of a principal: one byte of its length, 0 for none, and that many bytes of its kind and its name: `o` for the owner, `t` for a
 * token, `p` for a plugin. The longest name that a service gives fits, which its text would not.
 */
const KINDS = {o: 'owner', t: 'token:', p: 'plugin:'} as const;

/** Maximum size of an encoded principal, in bytes, without its length. */
const PRINCIPAL_BYTES_MAX = 255;

/** Returns an encoded principal, without its length; undefined for none. @throws {RangeError} If it is too long. */
export function encodePrincipal(principal: Principal | undefined): Buffer | undefined {
  if (principal === undefined) return undefined;
  const text = principal === 'owner' ? 'o' : `${principal[0]}${principal.slice(principal.indexOf(':') + 1)}`;
  const encoded = Buffer.from(text);
  const {length} = encoded;
  if (length <= PRINCIPAL_BYTES_MAX) return encoded;
  throw new RangeError(
    `Cannot name the caller "${principal.slice(0, 64)}…": it has ${length} bytes and the limit is ${PRINCIPAL_BYTES_MAX}`,
  );
}

/** Reads an encoded principal between two positions; undefined if there is none, or one of a later version. */
export function decodePrincipal(buffer: Buffer, at: number, end: number): Principal | undefined {
  if (at === end) return undefined;
  const text = buffer.toString('utf8', at, end);
  const kind = KINDS[text[0] as keyof typeof KINDS];
  return kind === undefined ? undefined : (`${kind}${text.slice(1)}` as Principal);
}
