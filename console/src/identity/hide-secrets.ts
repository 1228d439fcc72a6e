/** Names of members whose values are secrets; a document may have more of them than the specification names. */
const SECRET_NAMES = /session|token|password|secret|api_?key/i;

/** Text in place of a secret. */
const MASK = '"••••••"';

/** A string of a JSON text, with the colon if it is the name of a member. Each string is matched as a whole, so that none of its characters is taken for structure. */
const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:\s*)?/g;

/** Replaces the secret strings in a JSON text by the names of their members; everything else stays, byte for byte. */
export function hideSecrets(json: string): string {
  let secretAt = -1;
  return json.replace(STRING, (token, string: string, colon: string | undefined, at: number) => {
    if (colon !== undefined && SECRET_NAMES.test(JSON.parse(string))) secretAt = at + token.length;
    return colon === undefined && at === secretAt ? MASK : token;
  });
}
