/**
 * Header of requests of clients, with the value 1, in lower case. Pages of other origins cannot send it without a preflight, so it shows what Fetch
 * Metadata shows where browsers send none.
 */
export const CLIENT_HEADER = 'x-crewroom-client';
