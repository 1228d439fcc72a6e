import {BACKGROUND_TOKEN_HEADER} from './background-token.ts';
import {CLIENT_HEADER} from './client-header.ts';

const NO_VALUES: string[] = [];

/** The headers that are read for each request, none of which was sent. `purpose` stands for all names with which browsers mark speculative requests. */
const NONE = {
  host: NO_VALUES,
  authorization: NO_VALUES,
  [BACKGROUND_TOKEN_HEADER]: NO_VALUES,
  [CLIENT_HEADER]: NO_VALUES,
  cookie: NO_VALUES,
  origin: NO_VALUES,
  referer: NO_VALUES,
  purpose: NO_VALUES,
  'sec-fetch-dest': NO_VALUES,
  'sec-fetch-mode': NO_VALUES,
  'sec-fetch-site': NO_VALUES,
  'user-agent': NO_VALUES,
  'content-length': NO_VALUES,
  'transfer-encoding': NO_VALUES,
  'content-type': NO_VALUES,
  'content-encoding': NO_VALUES,
  'content-range': NO_VALUES,
  'x-http-method-override': NO_VALUES,
  'x-http-method': NO_VALUES,
  'x-method-override': NO_VALUES,
  'if-match': NO_VALUES,
  'if-none-match': NO_VALUES,
  'if-unmodified-since': NO_VALUES,
};

type HeaderName = keyof typeof NONE;

/** All values of the headers that are read for each request, in their order, by their names in lower case. */
export type RequestHeaders = {readonly [N in HeaderName]: readonly string[]};

const NAMES: readonly {readonly sent: string; readonly name: HeaderName}[] = [
  ...Object.keys(NONE).map(sent => ({sent, name: sent as HeaderName})),
  {sent: 'sec-purpose', name: 'purpose'},
  {sent: 'x-moz', name: 'purpose'},
];

/** Names by their length: most of the others differ in it already. */
const NAMES_BY_LENGTH = Array.from({length: 23}, (_, length) => NAMES.filter(({sent}) => sent.length === length));

/**
 * Reads the headers of a request in one pass. Runs for every request, and lower-casing the names is most of the cost.
 *
 * @param rawHeaders Alternating names and values.
 */
export function readRequestHeaders(rawHeaders: readonly string[]): RequestHeaders {
  const headers = {...NONE};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] ?? '';
    const names = NAMES_BY_LENGTH[given.length];
    if (names === undefined || names.length === 0) continue;
    const lower = given.toLowerCase();
    // Not by a map of names, whose hashes would take longer than all else.
    for (const {sent, name} of names) {
      if (sent !== lower) continue;
      const value = rawHeaders[index + 1] ?? '';
      if (headers[name] === NO_VALUES) headers[name] = [value];
      else headers[name].push(value);
    }
  }
  return headers;
}
