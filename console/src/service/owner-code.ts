import {callService} from './call-service.ts';
import {keepOwnerToken} from './owner.ts';

/** Begin of the fragment with which `crewroom console` opens the page. */
const CODE_FRAGMENT = '#code=';

/** Removes the code of the owner from the address of the page, and from the history of the browser. @returns The code, if there is one. */
export function takeOwnerCode(): string | undefined {
  if (!location.hash.startsWith(CODE_FRAGMENT)) return undefined;
  const code = location.hash.slice(CODE_FRAGMENT.length);
  history.replaceState(null, '', location.pathname);
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
