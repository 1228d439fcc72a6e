import {CLIENT_HEADER} from '../protocol/headers/client-header.ts';

/**
 * Names of the headers that are shown, in lower case: those by which the service and its guard judge requests. Credentials, cookies and
 * headers with unknown names are not among them.
 */
export const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'referer',
  'user-agent',
  'accept',
  'content-type',
  'content-length',
  'if-match',
  'if-none-match',
  'last-event-id',
  'upgrade',
  'purpose',
  'sec-purpose',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'access-control-request-method',
  CLIENT_HEADER,
]);
