import {type LookupAddress, type LookupAllOptions, lookup} from 'node:dns';
import {BlockList, isIP, type LookupFunction} from 'node:net';

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
