import {createHash} from 'node:crypto';

/** Length of the readable part of a label; with the other part it is shorter than the longest label of a host name (RFC 1035). */
const NAME_LENGTH_MAX = 40;

/** Length of the part that differs between plugins whose names look alike, in hexadecimal digits: 64 bits, since an author who wants it finds two ids with equal 32 bits in a second. */
const HASH_LENGTH = 16;

/**
 * Returns the label of the host name at which the page of a plugin has an origin of its own: the id in lower case with dashes for
 * its dots, which would be further labels, and a part of its SHA-256.
 */
export function labelOf(id: string): string {
  // A browser would decode a label that begins like an encoded one (RFC 5890).
  const name = id
    .toLowerCase()
    .replaceAll('.', '-')
    .replace(/^xn--+/, 'xn-')
    .slice(0, NAME_LENGTH_MAX);
  return `${name}-${createHash('sha256').update(id).digest('hex').slice(0, HASH_LENGTH)}`;
}
