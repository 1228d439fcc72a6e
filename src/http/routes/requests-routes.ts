import {REQUESTS_QUERY} from '../../core/documents/queries.ts';
import type {Limits} from '../../core/domain/limits.ts';
import {REQUEST_CURSOR, REQUESTS_KEPT, type RequestPage, type Requests} from '../../core/domain/recorded-request.ts';
import {STREAM_START} from '../../core/protocol/event/server-sent-events.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {formatRequestsBlock} from '../../core/protocol/service-documents.ts';
import {writeDocument} from '../../core/protocol/text/times.ts';
import {type HttpRequest, type HttpStream, jsonAnswer, streamAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {forOwnCallers} from './own-callers.ts';
import {readParameters} from './read-parameters.ts';

/** `/api/requests`: the last requests, once or as they are answered. */
export function requestsRoutes(requests: Requests, {heartbeatMs}: Pick<Limits, 'heartbeatMs'>): readonly Route[] {
  return [
    {
      path: '/api/requests',
      needs: 'admin',
      GET: forOwnCallers(async ({request, query}) => {
        const asked = readParameters(query, REQUESTS_QUERY);
        // A browser that reconnects repeats its first request and adds the last id that it received.
        const last = headerValues(request.rawHeaders, 'last-event-id')[0] || asked.after;
        // One of another program: an `EventSource` would give up at a failure.
        const after = last === asked.after || REQUEST_CURSOR.test(last ?? '') ? last : undefined;
        if (!acceptsStream(request)) {
          request.reserveMemory(DOCUMENT_BYTES_MAX);
          return jsonAnswer(writeDocument(await requests.read(after)), {rawHeaders: VARIES});
        }
        const pages = requests.follow({after, heartbeatMs, signal: request.listen()});
        return streamAnswer(formatStream(pages), {
          contentType: 'text/event-stream',
          rawHeaders: VARIES,
          longLived: true,
        });
      }),
    },
  ];
}

/** Memory for a document of all requests that are kept, in bytes. A request whose texts are as long as they may be takes 10 KB. */
const DOCUMENT_BYTES_MAX = REQUESTS_KEPT * 10 * 1024;

const VARIES = ['Vary', 'Accept, Origin'] as const;

/** Returns whether a request names the type of streams among those that it accepts, as `EventSource` does. */
function acceptsStream({rawHeaders}: HttpRequest): boolean {
  const accepted = headerValues(rawHeaders, 'accept').flatMap(value => value.split(','));
  return accepted.some(range => range.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream');
}

async function* formatStream(pages: AsyncIterable<RequestPage>): HttpStream & AsyncGenerator<string> {
  yield STREAM_START;
  for await (const page of pages) yield formatRequestsBlock(page);
}
