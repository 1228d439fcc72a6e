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
