import type {DefaultEventKind, EventKind, EventStream} from '../core/domain/commits/event.ts';
import {assertNames} from '../core/domain/commits/option-names.ts';
import type {IdentityDocument} from '../core/domain/identity/identity.ts';
import {parseDocument} from '../core/protocol/text/read-document.ts';
import {decodeAnswer, parseAnswer} from './answer.ts';
import {type ClientEntries, HttpEntries} from './client-entries.ts';
import {type ClientEventsOptions, createEventStream} from './event-stream.ts';
import {type ClientOptions, openTransport} from './options.ts';
import type {CallOptions} from './transport.ts';

/**
 * A client of a running service. A call throws the `AppError` that the service threw, `service-unreachable` if it did not reach the
 * service, `service-timeout` if it was not answered in time, and the reason of the signal if a signal ended it.
 */
export interface Client {
  readonly entries: ClientEntries;
  /**
   * Returns the identity of the pilot: the document, and its text as it is served, with numbers that JavaScript cannot represent.
   *
   * @throws {AppError} `no-identity` when no pilot is signed in.
   */
  identity(options?: CallOptions): Promise<{readonly document: IdentityDocument; readonly text: string}>;
  /**
   * Returns a stream of changes: see {@link EventStream}. Sends nothing until the stream is iterated, and reconnects when the connection is lost. In a
   * browser each stream uses one of the six connections that pages may open to an origin.
   *
   * @example
   * ```ts
   * import {createClient} from 'crewroom/client';
   *
   * const {entries, events} = createClient();
   * await entries.put('com.example.radio/volume', 0.5);
   * for await (const event of events<number>({prefix: 'com.example.radio/', initial: true})) {
   *   if (event.kind === 'reset') console.log('Start over: changes were missed, and all existing entries come next');
   *   if (event.kind === 'entry-deleted' || event.kind === 'entry-expired') console.log(event.key, 'no longer exists');
   *   if (event.kind !== 'entry-written') continue;
   *   console.log(event.key, event.value); // com.example.radio/volume 0.5
   *   break;
   * }
   * ```
   * @throws {AppError} From the iteration, failures that a new connection would not fix: `invalid-parameter`,
   * `unexpected-answer` and others. Transient failures are retried, and reported to {@link ClientEventsOptions.onConnection}.
   */
  events<T = unknown, K extends EventKind = DefaultEventKind>(options?: ClientEventsOptions<K>): EventStream<T, K>;
}

/**
 * Creates a client of a running service. Sends nothing before the first call.
 *
 * @example
 * ```ts
 * import {createClient} from 'crewroom/client';
 *
 * const {entries} = createClient();
 * await entries.put('com.example.hello/settings', {volume: 0.5});
 * const settings = await entries.get<{volume: number}>('com.example.hello/settings');
 * console.log(settings?.value.volume, settings?.text); // 0.5 {"volume":0.5}
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const transport = openTransport(options);
  return {
    entries: new HttpEntries(transport),
    identity: async call => {
      assertNames(call, 'call');
      const answer = await transport.send('GET', '/api/identity', call);
      return {document: parseAnswer(answer, parseDocument<IdentityDocument>), text: decodeAnswer(answer)};
    },
    events: options => createEventStream(transport, options),
  };
}
