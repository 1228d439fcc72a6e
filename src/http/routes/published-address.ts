import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import type {HttpRequest} from '../core/message.ts';
import {isBelowConsole} from '../core/sites.ts';

/** Port that published plugins call; it is a constant in their code. */
const PUBLISHED_PORT = 7172;

/** Addresses of the service in the files and requests of published plugins. */
const PUBLISHED_ADDRESS = new RegExp(`http://(?:localhost|127\\.0\\.0\\.1):${PUBLISHED_PORT}(?![0-9])`, 'g');

/** Returns the Host header of a request that the guard admitted. */
export function hostOf({rawHeaders}: Pick<HttpRequest, 'rawHeaders'>): string {
  return headerValues(rawHeaders, 'host')[0] ?? '';
}

/** Returns the port in a Host header. */
export function portOf(host: string): number {
  return Number(/:(\d+)$/.exec(host)?.[1] ?? 80);
}

/** Returns whether the service is called at another address than the one that published plugins contain. */
export function isMoved(host: string): boolean {
  return portOf(host) !== PUBLISHED_PORT || isBelowConsole(host);
}

/** Replaces the published address in a text with that at which the service is called. */
export function replacePublishedAddress(text: string, host: string): string {
  return isMoved(host) ? text.replace(PUBLISHED_ADDRESS, `http://${host}`) : text;
}
