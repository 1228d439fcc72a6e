/** Result of reading the address of a back end: the normalised address, or a problem. */
export type ScriptUrlReading = {readonly scriptURL: string} | {readonly problem: string};

/** Longest address of a back end, in UTF-16 units: all browsers and servers accept this length. */
const LENGTH_MAX = 2048;

/**
 * Reads the address of a back end, and adds a missing slash at its end, since paths are appended to it. Plain http is read, too:
 * the client of back ends decides what is sent there.
 */
export function readScriptUrl(text: string): ScriptUrlReading {
  if (text.length > LENGTH_MAX) return {problem: `is longer than ${LENGTH_MAX} characters`};
  if (!URL.canParse(text)) return {problem: 'is not an address such as "https://air.example/back-end/"'};
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return {problem: 'does not begin with https:// or http://'};
  // It would be shown, logged, and served to plugins as part of the identity.
  if (url.username !== '' || url.password !== '') return {problem: 'must not contain a user name or a password'};
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) return {problem: 'must not contain "?" or "#"'};
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return {scriptURL: url.href};
}

/** Returns whether others on the network can read what is sent to an address: plain http to another machine. */
export function isUnprotected(scriptURL: string): boolean {
  const {protocol, hostname} = new URL(scriptURL);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
