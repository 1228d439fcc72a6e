import type {Plugin} from './documents.ts';

/** Name at which the console has an origin of its own. Pages of plugins have names below it. */
const CONSOLE_NAME = 'crewroom.localhost';

/** Names of the service at which pages of plugins have the origin of the console, as browsers write them. */
const SHARED_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Returns whether this page has the origin of the console, which no page of a plugin shares. */
export function isOwnOrigin(): boolean {
  return location.hostname === CONSOLE_NAME;
}

/** Returns whether this page is in no frame. */
export function isTopLevel(): boolean {
  return window.top === window;
}

/** Returns the origin of the page of a plugin: its own one, where the console has its own, and otherwise that of the console. */
export function pageOrigin({label}: Plugin): string {
  if (!isOwnOrigin() || label === undefined) return location.origin;
  return `${location.protocol}//${label}.${location.host}`;
}

/** Returns the address of the service for programs: few of them resolve the name of the console. */
export function programAddress(): string {
  return location.origin.replace(CONSOLE_NAME, 'localhost');
}

/** Returns an address of the service under the origin of this page; other addresses stay. Plugins name the service by any of its names. */
export function underOwnOrigin(address: URL): URL {
  const isName = SHARED_NAMES.includes(address.hostname) || `.${address.hostname}`.endsWith(`.${CONSOLE_NAME}`);
  return isName && address.port === location.port
    ? new URL(address.pathname + address.search, location.origin)
    : address;
}
