import {isTrustworthyUrl} from '../../core/domain/trustworthy-url.ts';
import {describeInPage} from './page-network.ts';

export {isSameOrigin, PAGE_ORIGIN} from './page-network.ts';

/**
 * Returns whether no other machine can read what is sent to an address: it has https, or all addresses of its host are of this machine. In a page
 * it is judged by the name.
 *
 * @throws {Error} What the look-up threw.
 */
export async function isProtected(url: string): Promise<boolean> {
  // Not imported: pages may load this module as it is.
  const dns = (globalThis as Program).process?.getBuiltinModule?.('node:dns/promises');
  const {protocol, hostname} = new URL(url);
  if (dns === undefined || protocol === 'https:') return isTrustworthyUrl(url);
  const addresses = await dns.lookup(hostname.replace(/[[\]]/g, ''), {all: true});
  return addresses.every(({address, family}) => isTrustworthyUrl(`http://${family === 6 ? `[${address}]` : address}/`));
}

/** Returns whether there was no connection at all. Browsers do not report this. */
export function wasRefused(error: unknown): boolean {
  return (error as SystemError | undefined)?.cause?.code === 'ECONNREFUSED';
}

/** Returns the message of the system, which is in the cause: `fetch failed` has no details. */
export function describeCause(error: unknown, url: string): string {
  if (wasRefused(error)) return 'nothing listens there';
  const {cause} = error as SystemError;
  return cause?.message || cause?.code || describeInPage(error, url);
}

/** An error that `fetch` throws. */
interface SystemError {
  readonly cause?: {readonly code?: string; readonly message?: string};
}

/** The part of the global object that only Node has. */
interface Program {
  readonly process?: {getBuiltinModule?(name: string): Dns};
}

/** Looks up names. */
interface Dns {
  lookup(name: string, options: {readonly all: true}): Promise<readonly Address[]>;
}

interface Address {
  readonly address: string;
  readonly family: number;
}
