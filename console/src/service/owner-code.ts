import {callService} from './call-service.ts';
import {isTopLevel} from './own-origin.ts';
import {keepOwnerToken} from './owner.ts';

/** Fragment with which `crewroom console` opens the page; a route may follow the code. Any text counts as a code: the service decides. */
const CODE_FRAGMENT = /^#code=([^/]*)(\/.*)?$/;

/** Longest text that is sent as a code, in UTF-16 units: a code has 43. The beginning of a longer one is refused just as well. */
const CODE_LENGTH_MAX = 100;

/** A code of the owner, and the fragment of the view to show with it, if the address named one. */
export interface OwnerCode {
  readonly code: string;
  readonly fragment?: string;
}

/**
 * Takes the code of the owner out of the address of the page, and out of the history of the browser.
 *
 * @param shown Fragment that takes its place. @default {the one that the address names behind the code, if any}
 * @returns The code, if there is one. None in a frame: another site could have put it there.
 */
export function takeOwnerCode(shown?: string): OwnerCode | undefined {
  const [, text, route] = CODE_FRAGMENT.exec(location.hash) ?? [];
  if (text === undefined) return undefined;
  const code = text.slice(0, CODE_LENGTH_MAX);
  const fragment = route === undefined ? undefined : `#${route}`;
  history.replaceState(null, '', `${location.pathname}${shown ?? fragment ?? ''}`);
  if (!isTopLevel()) return undefined;
  return fragment === undefined ? {code} : {code, fragment};
}

/** Exchanges a code for a token. @throws {CallFailure} `invalid-code` if it was used before, or is too old. */
export async function exchangeOwnerCode(code: string): Promise<void> {
  const {token} = await callService<{readonly token: string}>('/api/access/page-tokens', {
    method: 'POST',
    body: {code},
  });
  keepOwnerToken(token);
}
