import {callService} from './call-service.ts';
import {keepOwnerToken} from './owner.ts';

/** Fragment with which `crewroom console` opens the page; a route may follow the code. */
const CODE_FRAGMENT = /^#code=([A-Za-z0-9_-]+)(\/.*)?$/;

/** Removes the code of the owner from the address of the page, and from the history of the browser. @returns The code, if there is one. */
export function takeOwnerCode(): string | undefined {
  const [, code, route] = CODE_FRAGMENT.exec(location.hash) ?? [];
  if (code !== undefined)
    history.replaceState(null, '', `${location.pathname}${route === undefined ? '' : `#${route}`}`);
  return code;
}

/** Exchanges a code for a token. @throws {CallFailure} `invalid-code` if it was used before, or is too old. */
export async function exchangeOwnerCode(code: string): Promise<void> {
  const {token} = await callService<{readonly token: string}>('/api/access/page-tokens', {
    method: 'POST',
    body: {code},
  });
  keepOwnerToken(token);
}
