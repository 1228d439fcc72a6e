import type {RecordedFailure, RecordedRequest, RequestPage} from '../domain/recorded-request.ts';
import type {ShapeOf} from '../domain/shape.ts';
import {formatTime} from './text/format-time.ts';
import {readDocument, readTime} from './text/read-document.ts';

/** A request in a document. */
interface RequestDocument extends Omit<RecordedRequest, 'atMs'> {
  readonly at: string;
}

interface PageDocument extends Omit<RequestPage, 'requests'> {
  readonly requests: readonly RequestDocument[];
}

/** Writes a page of requests. */
export function formatRequests(page: RequestPage): string {
  const requests = page.requests.map(({sequence, atMs, ...request}) => ({sequence, at: formatTime(atMs), ...request}));
  return JSON.stringify({...page, requests});
}

/** Reads what {@link formatRequests} writes. @throws {UnexpectedDocument} */
export function readRequests(json: string): RequestPage {
  const {requests, ...page} = readDocument<PageDocument>(json, PAGE);
  return {...page, requests: requests.map(({at, ...request}) => ({...request, atMs: readTime(at)}))};
}

/** Writes a page as a block of a stream; an empty page as a comment, which keeps the connection open. */
export function formatRequestsBlock(page: RequestPage): string {
  if (page.requests.length === 0) return ':\n\n';
  return `event: requests\ndata: ${formatRequests(page)}\nid: ${page.cursor}\n\n`;
}

const FAILURE: ShapeOf<RecordedFailure> = {code: 'string', detail: 'string', remedy: 'string', requestId: 'string'};

const PAGE: ShapeOf<PageDocument> = {
  requests: [
    {
      sequence: 'number',
      at: 'string',
      method: 'string',
      path: 'string',
      status: 'number',
      durationMs: 'number',
      'sizeBytes?': 'number',
      'origin?': 'string',
      'plugin?': 'string',
      'own?': 'boolean',
      headers: {},
      'failure?': FAILURE,
    },
  ],
  cursor: 'string',
  missed: 'number',
};
