/** What plugins call; it is `::1` first on many machines. */
const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1'] as const;

/** The addresses behind a host: two for `localhost`, otherwise the host itself, which may be anything. */
export function addressesOf(host: string): readonly [string, ...string[]] {
  return host.toLowerCase() === 'localhost' ? LOCALHOST_ADDRESSES : [host];
}

/** Whether only this machine can call a host; other ways to write a loopback address count as foreign. */
export function isLoopback(host: string): boolean {
  return addressesOf(host).every(address => (LOCALHOST_ADDRESSES as readonly string[]).includes(address));
}

/** An address as URLs write it, such as `[::1]:7172`. */
export function formatAddress(address: string, port: number): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** The settings that say where a service is. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Returns the URL at which a service with these settings is called. */
export function serviceUrl({host, port}: ServiceAddress): string {
  // By address, not by name: the service is the same on both, and no look-up can lead elsewhere.
  return `http://${formatAddress(addressesOf(host)[0], port)}`;
}
