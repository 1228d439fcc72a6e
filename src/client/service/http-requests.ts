import {assertNames, checkedCall, FOLLOW_NAMES} from '../../core/domain/commits/option-names.ts';
import type {FollowOptions, RequestPage, Requests} from '../../core/domain/recorded-request.ts';
import {SseParser} from '../../core/protocol/event/server-sent-events.ts';
import {documentReader} from '../../core/protocol/text/times.ts';
import {backoffMs} from '../../core/time/backoff.ts';
import {expecting, parseAnswer, unexpectedAnswer} from '../answer.ts';
import {SILENCE_MS_MAX} from '../event-stream.ts';
import {formatQuery} from '../query.ts';
import {type CallOptions, isTransient, type Transport} from '../transport.ts';
import {waitMs} from '../waiting.ts';

/** The last requests of a running service. */
export interface ClientRequests extends Requests {
  /** Returns the requests that are kept: see {@link Requests.read}. */
  read(after?: string, options?: CallOptions): Promise<RequestPage>;

  /**
   * Follows the requests: see {@link Requests.follow}. Reconnects when the connection is lost; after a restart of the service, with its
   * first request. Without a service at the start it throws.
   */
  follow(options?: FollowOptions): AsyncIterable<RequestPage>;
}

const PATH = '/api/requests';

const READ_PAGE = documentReader<RequestPage>('requests');

/** Longest page that is read, in UTF-16 units: 100 requests of a few thousand. */
const PAGE_LENGTH_MAX = 4 * 1024 * 1024;

/** Waits before attempts to reconnect, in milliseconds. */
const FIRST_WAIT_MS = 500;
const WAIT_MS_MAX = 10_000;

/** Returns the requests of a running service. */
export function createRequests(transport: Transport): ClientRequests {
  return {
    read: async (after, call) =>
      parseAnswer(await transport.send('GET', PATH + formatQuery({after}), checkedCall(call)), READ_PAGE),
    follow: (options = {}) => {
      assertNames(options, FOLLOW_NAMES);
      return follow(transport, options);
    },
  };
}

async function* follow(transport: Transport, {after, signal}: FollowOptions): AsyncGenerator<RequestPage, void> {
  const ended = transport.link(signal);
  let cursor = after;
  let wasConnected = false;
  let failures = 0;
  try {
    while (!ended.signal.aborted) {
      try {
        for await (const page of connect(transport, cursor, ended.signal)) {
          wasConnected = true;
          failures = 0;
          cursor = page?.cursor ?? cursor;
          if (page !== undefined) yield page;
        }
      } catch (error) {
        if (ended.signal.aborted) return;
        if (!wasConnected || !isTransient(error)) throw error;
      }
      const {random} = transport.options;
      // Rejects only if the iteration ends.
      await waitMs(backoffMs(++failures, {firstMs: FIRST_WAIT_MS, maxMs: WAIT_MS_MAX, random}), ended.signal).catch(
        () => {},
      );
    }
  } finally {
    ended.unlink();
  }
}

/** Opens one connection, and yields its pages until it ends; first undefined, as soon as it is open. */
async function* connect(
  transport: Transport,
  after: string | undefined,
  ended: AbortSignal,
): AsyncGenerator<RequestPage | undefined, void> {
  const connection = transport.link(ended);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    transport.limit(connection, PATH);
    const headers = {Accept: 'text/event-stream'};
    const response = await transport.open(PATH + formatQuery({after}), {headers, signal: connection.signal});
    if (response.body === null) throw unexpectedAnswer(response, 'it is not an event stream');
    reader = response.body.getReader();
    yield undefined;
    const parser = new SseParser();
    for (;;) {
      transport.limit(connection, PATH, SILENCE_MS_MAX);
      const {value: bytes} = await transport.part(reader.read(), connection.signal);
      // Nothing is read while the consumer handles a page.
      connection.cancelAbort();
      if (bytes === undefined) return;
      for (const block of parser.push(bytes)) {
        const data = block.get('data');
        if (data !== undefined) yield expecting(response, () => READ_PAGE(data));
      }
      if (parser.length > PAGE_LENGTH_MAX)
        throw unexpectedAnswer(response, `it has a page of more than ${PAGE_LENGTH_MAX} characters`);
    }
  } finally {
    connection.unlink();
    connection.abort();
    void reader?.cancel().catch(() => {});
  }
}
