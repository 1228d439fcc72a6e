import type {DefaultEventKind, EventKind} from '../domain/commits/event.ts';
import type {IdentityDocument} from '../domain/identity/identity.ts';
import {isDataFailure} from '../failures/members/data.ts';
import {readDocument} from '../protocol/text/read-document.ts';
import {decodeAnswer, parseAnswer} from './answer.ts';
import type {ClientEntries} from './client-entries.ts';
import {createEventStream, type EventStream, type EventsOptions} from './event-stream.ts';
import {HttpEntries} from './http-entries.ts';
import {type ClientOptions, openTransport} from './options.ts';
import type {CallOptions} from './transport.ts';

/**
 * A client of a running service. A call throws the `AppError` that the service threw, `service-unreachable` if it did not reach the
 * service, `service-timeout` if it was not answered in time, and the reason of the signal if a signal ended it.
 */
export interface Client {
  readonly entries: ClientEntries;
  /**
   * Returns the identity of the pilot.
   *
   * @throws {AppError} `no-identity` when no pilot is signed in.
   */
  identity(options?: CallOptions): Promise<IdentityAnswer>;
  /**
   * Returns a stream of changes: see {@link EventStream}. Sends nothing until the stream is iterated. In a browser each stream uses
   * one of the six connections that pages may open to an origin.
   *
   * @example
   * ```ts
   * import {createClient} from 'crewroom/client';
   *
   * const {entries, events} = createClient();
   * await entries.putValue('com.example.radio/volume', 0.5);
   * for await (const event of events<number>({prefix: 'com.example.radio/', initial: true})) {
   *   if (event.kind === 'reset') console.log('Start over: changes were missed, and all existing entries come next');
   *   if (event.kind === 'entry-deleted' || event.kind === 'entry-expired') console.log(event.key, 'no longer exists');
   *   if (event.kind !== 'entry-written') continue;
   *   console.log(event.key, event.value); // com.example.radio/volume 0.5
   *   break;
   * }
   * ```
   * @throws {AppError} From the iteration, failures that a new connection would not fix: `invalid-parameter`,
   * `unexpected-answer` and others. Transient failures are retried, and reported to {@link EventsOptions.onConnection}.
   */
  events<T = unknown, K extends EventKind = DefaultEventKind>(options?: EventsOptions<K>): EventStream<T, K>;
}

/** The identity, parsed and as text. */
export interface IdentityAnswer {
  readonly document: IdentityDocument;
  /** The document as it was sent, with numbers that JavaScript cannot represent. */
  readonly text: string;
}

/**
 * Creates a client of a running service. Sends nothing before the first call.
 *
 * @example
 * ```ts
 * import {createClient} from 'crewroom/client';
 *
 * const {entries} = createClient();
 * await entries.putValue('com.example.hello/settings', {volume: 0.5});
 * const settings = await entries.get<{volume: number}>('com.example.hello/settings');
 * console.log(settings?.value.volume, settings?.text); // 0.5 {"volume":0.5}
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const transport = openTransport(options, isDataFailure);
  return {
    entries: new HttpEntries(transport),
    identity: async call => {
      const answer = await transport.send('GET', '/api/identity', call);
      const document = parseAnswer(answer, json => readDocument<object>(json, {})) as IdentityDocument;
      return {document, text: decodeAnswer(answer)};
    },
    events: options => createEventStream({transport}, options ?? {}),
  };
}
