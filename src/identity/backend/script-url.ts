/** What came of reading the address of a back end. */
export type ScriptUrlReading = {readonly scriptURL: string} | {readonly problem: string};

/** Longest address of a back end, in UTF-16 units: what browsers and servers take without question. */
const LENGTH_MAX = 2048;

/**
 * Reads the address of a back end. It gets a slash at its end where that is missing, since paths are appended to it.
 * Plain http is taken: airlines do use it, and whoever signs in is told.
 */
export function readScriptUrl(text: string): ScriptUrlReading {
  if (text.length > LENGTH_MAX) return {problem: `is longer than ${LENGTH_MAX} characters`};
  if (!URL.canParse(text)) return {problem: 'is not an address such as "https://air.example/back-end/"'};
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return {problem: 'does not begin with https:// or http://'};
  // It would be shown, logged and served to plugins with the identity.
  if (url.username !== '' || url.password !== '') return {problem: 'must not hold a user name or a password'};
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) return {problem: 'must not hold "?" or "#"'};
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return {scriptURL: url.href};
}

/** Whether what is sent to an address can be read on its way: plain http beyond this machine. */
export function isUnprotected(scriptURL: string): boolean {
  const {protocol, hostname} = new URL(scriptURL);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
