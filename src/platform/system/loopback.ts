import {type LookupAddress, type LookupAllOptions, lookup} from 'node:dns';
import {BlockList, isIP, type LookupFunction} from 'node:net';

/** An address that a program listens on. */
export interface ListenAddress {
  /** An IP address, such as `127.0.0.1` or `::1`. */
  readonly address: string;
  readonly port: number;
}

/** The settings with the address of a service. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** The addresses of `localhost`. Plugins call this name, which is `::1` first on many machines. */
const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1'] as const;

/** Returns the addresses of a host: two for `localhost`, otherwise the host itself, unchecked. */
export function addressesOf(host: string): readonly [string, ...string[]] {
  return host.toLowerCase() === 'localhost' ? LOCALHOST_ADDRESSES : [host];
}

/** Returns the names of a host in addresses: `localhost` only for all its addresses, since another process may listen at one that is free. */
export function namesOf(host: string): readonly [string, ...string[]] {
  const [first, ...more] = addressesOf(host).map(address => (address.includes(':') ? `[${address}]` : address));
  return more.length > 0 ? ['localhost', first ?? host, ...more] : [first ?? host];
}

/** Returns whether only this machine can call a host. Unusual forms of a loopback address count as foreign. */
export function isLoopback(host: string): boolean {
  return addressesOf(host).every(address => (LOCALHOST_ADDRESSES as readonly string[]).includes(address));
}

/** Formats an address as in URLs, such as `[::1]:7172`. */
export function formatAddress(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Returns the URL of a service with these settings. */
export function serviceUrl({host, port}: ServiceAddress): string {
  // By address, not by name: the service is the same, and no look-up can lead elsewhere.
  return `http://${formatAddress(addressesOf(host)[0], port)}`;
}

/** Returns the reason why a text is not the origin of a server on this machine; undefined if it may be. Names are checked at each connection. */
export function findServerProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not an address such as http://localhost:5173';
  const {protocol, hostname, username, password, pathname, search, hash} = new URL(text);
  if (protocol !== 'http:') return `has the scheme ${protocol.slice(0, -1)}: only http is supported`;
  if (username + password !== '') return 'contains a user name or a password';
  if (pathname + search + hash !== '/') return 'has a path: name only the scheme, the host and the port';
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && !isLoopbackAddress(address) ? notLoopback(address) : undefined;
}

/** Looks up all addresses of a name, such as `dns.lookup`. */
type LookupAll = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Creates the function that looks up the name of a server. It fails if any address of the name is not a loopback address. The connection
 * is made to an address that was checked, so that a name cannot change in between.
 */
export function createLoopbackLookup(lookUpAll: LookupAll = lookup): LookupFunction {
  return (name, options, callback) => {
    lookUpAll(name, {...options, all: true}, (error, addresses) => {
      const [first] = addresses ?? [];
      const foreign = addresses?.find(({address}) => !isLoopbackAddress(address));
      if (foreign !== undefined) callback(new Error(`the name ${name} ${notLoopback(foreign.address)}`), []);
      else if (error !== null || first === undefined || options.all === true) callback(error, addresses ?? []);
      else callback(null, first.address, first.family);
    });
  };
}

function notLoopback(address: string): string {
  return `leads to ${address}, which is not a loopback address`;
}

/** Returns whether an IP address belongs to this machine alone (RFC 5735 section 3, RFC 4291 section 2.5.3). */
function isLoopbackAddress(address: string): boolean {
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8);
  own.addAddress('::1', 'ipv6');
  return own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
