/** Finds the problem with an origin of web pages that may call; undefined for one exact origin, as browsers send it. */
export function findOriginProblem(text: string): string | undefined {
  if (text === '*' || text === 'null') return 'would let any page call; name exact origins';
  // Without the characters that have a meaning in a policy of frames (CSP), which repeats the origin.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s@*;,'"]+$/.test(text))
    return 'is not an origin such as http://localhost:3000, without a path';
  // Browsers send web origins in one form only (RFC 6454 section 6.1); another would never match.
  if (/^https?:/.test(text) && (!URL.canParse(text) || new URL(text).origin !== text))
    return 'is not written as browsers send it';
  if (/^https?:\/\/([^/]+\.)?crewroom\.localhost(:\d+)?$/.test(text))
    return 'is a page of the service itself or of a plugin, which needs no permission';
  return undefined;
}
