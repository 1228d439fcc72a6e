import {
  LIMITS,
  LIVENESS,
  READINESS,
  REQUEST_LIST,
  SERVICE,
  STOPPING,
} from '../../core/documents/answers/service-answers.ts';
import {REQUESTS_QUERY} from '../../core/documents/queries.ts';
import type {FailureCode} from '../../core/failures/failure.ts';
import {type OperationDescription, tagged} from './operation.ts';

/** Operations of the service itself. */
export const SERVICE_OPERATIONS = tagged('Service', {
  'GET /api': {
    operationId: 'getService',
    summary: 'Read name, versions and data directory of the service',
    answers: {200: {description: 'Name, versions, data directory and links.', schema: SERVICE}},
  },
  'GET /api/limits': {
    operationId: 'getLimits',
    summary: 'Read all limits',
    answers: {200: {description: 'Every limit.', schema: LIMITS}},
  },
  'POST /api/stop': {
    operationId: 'stopService',
    summary: 'End the service, as Ctrl+C does',
    description:
      'With the token of the owner. `crewroom stop` does this. Requests in flight are finished first. A service in another program, which ends by itself, has no such resource.',
    answers: {202: {description: 'It ends.', schema: STOPPING}},
    failures: ['owner-required'],
  },
  'GET /livez': {
    operationId: 'getLiveness',
    summary: 'Check that the process answers',
    answers: {200: {description: 'It answers.', schema: LIVENESS}},
  },
  'GET /readyz': {
    operationId: 'getReadiness',
    summary: 'Check that the service can read and write',
    answers: {
      200: {description: 'It can read and write.', schema: READINESS},
      503: {description: 'It can only read: the disk failed.', schema: READINESS},
    },
  },
  'GET /api/requests': {
    operationId: 'getRequests',
    summary: 'Read the last requests',
    description:
      'The last 1,000 requests that were answered, refused ones too, the oldest first; without those for this path and for `/metrics`. With `Accept: text/event-stream` a stream that continues with new ones: each event `requests` has the same document as data, and its `cursor` as `id`. Bodies are never kept. Not for pages of other origins, allowed ones included.',
    query: REQUESTS_QUERY,
    headers: ['Last-Event-ID'],
    answers: {200: {description: 'Requests.', schema: REQUEST_LIST, streamType: 'text/event-stream'}},
  },
  'GET /metrics': {
    operationId: 'getMetrics',
    summary: 'Read figures of the service, for monitoring',
    answers: {
      200: {
        description: 'Prometheus text format.',
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
      },
    },
  },
  'GET /': page('getConsole', 'The console as a page'),
  'GET /client.js': {
    operationId: 'getClient',
    summary: 'The client as one module, for pages of plugins and of allowed origins',
    answers: {200: {description: 'A module that calls this service.', contentType: 'text/javascript'}},
  },
  'GET /openapi.json': {
    operationId: 'getOpenApi',
    summary: 'This document',
    headers: ['If-None-Match'],
    answers: {
      200: {description: 'OpenAPI 3.1.', schema: 'Value', headers: ['ETag of a document']},
      304: {description: 'The document has one of the ETags.', headers: ['ETag of a document']},
    },
  },
  'GET /docs': page('getDocs', 'The documentation as a page, with a search'),
  'GET /docs/{name}': page('getDocsPage', 'A reference as a page; `api` is this document, to try', ['no-resource']),
  'GET /docs/guides/{name}': page('getGuide', 'A guide as a page', ['no-resource']),
  'GET /docs/errors/{code}': page('getFailurePage', 'The page of a failure: when it happens, and what to do', [
    'no-resource',
  ]),
});

/** Describes an operation that answers with a page. */
function page(operationId: string, summary: string, failures: readonly FailureCode[] = []): OperationDescription {
  const answered = {description: 'A page that works offline.', contentType: 'text/html; charset=utf-8'};
  return {operationId, summary, answers: {200: answered}, failures};
}
