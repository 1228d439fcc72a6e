/** Header of every Crewroom answer, with {@link API_VERSION}. It identifies the service, and authenticates nothing. */
export const API_HEADER = 'Crewroom-API';

/** The version of the HTTP contract: it grows only if clients of the version before would misread answers. */
export const API_VERSION = '1';

/** Describes the problem of an answer with this header, or null without it; undefined if it is one of this version. */
export function findApiProblem(sent: string | null): string | undefined {
  if (sent === API_VERSION) return undefined;
  return Number(sent) > Number(API_VERSION)
    ? `it has "${API_HEADER}: ${Number(sent)}", and this client knows ${API_VERSION}: update the client`
    : `it does not have "${API_HEADER}: ${API_VERSION}"`;
}
