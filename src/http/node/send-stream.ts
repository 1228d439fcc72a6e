import type {ServerResponse} from 'node:http';
import {AppError, type Failure} from '../../domain/failure.ts';
import {statusOf} from '../../protocol/failure-status.ts';
import type {HttpStream} from '../core/message.ts';
import type {Connection} from './connection.ts';

/** How a stream is sent. */
export interface SendStreamOptions {
  /** Ends the stream where it is: what was sent of it is whole. */
  readonly signal?: AbortSignal | undefined;
  /** Told when the stream waits for its client, and what that takes; undefined for one that does not end by itself. */
  readonly connection: Pick<Connection, 'enter' | 'moved'> | undefined;
  /** Told of what a stream throws while it is ended. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends a body while it is made, between the head and the end of a response. Resolves once it is over: it ended, was
 * told to end, or the client is gone. Its iterator is returned then, and nothing of it is waited for.
 *
 * @throws {unknown} What the body throws.
 */
export async function sendStream(
  response: ServerResponse,
  body: HttpStream,
  {signal, connection, onError}: SendStreamOptions,
): Promise<void> {
  // A client hears that it is answered, also when there is nothing to tell yet.
  response.flushHeaders();
  const iterator = body[Symbol.asyncIterator]();
  let end = (): void => {};
  const ended = new Promise<'ended'>(resolve => (end = () => resolve('ended')));
  response.once('close', end);
  signal?.addEventListener('abort', end, {once: true});
  if (response.destroyed || signal?.aborted) end();
  try {
    const outcome = await Promise.race([ended, pump(response, iterator, connection)]);
    if (outcome === 'ended') void returnIterator(iterator, onError);
  } finally {
    response.off('close', end);
    signal?.removeEventListener('abort', end);
  }
}

/** Tells an iterator that nothing more is wanted; one that waits for something itself answers later, or never. */
export async function returnIterator(
  iterator: AsyncIterator<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    await iterator.return?.();
  } catch (error) {
    onError(error);
  }
}

async function pump(
  response: ServerResponse,
  iterator: AsyncIterator<string | Uint8Array>,
  connection: SendStreamOptions['connection'],
): Promise<'done'> {
  for (;;) {
    const {done, value} = await iterator.next();
    if (done || response.writableEnded || response.destroyed) return 'done';
    if (!(await write(response, value, connection))) return 'done';
  }
}

/** Hands a chunk to the system. @returns Whether the response takes more. */
async function write(
  response: ServerResponse,
  chunk: string | Uint8Array,
  connection: SendStreamOptions['connection'],
): Promise<boolean> {
  // Called back also when the socket is gone. Not the drain event: a request that wants to upgrade the connection,
  // sent behind this one, makes Node forget that one.
  let flushed = (): void => {};
  const whenFlushed = new Promise<void>(resolve => (flushed = resolve));
  if (response.write(chunk, () => flushed())) return true;
  connection?.enter('sending');
  await whenFlushed;
  connection?.moved(chunk.length);
  connection?.enter('working');
  return !response.writableEnded && !response.destroyed;
}

/** How a stream ends because of who reads it, which says nothing of the service. */
const READER_CODES: ReadonlySet<Failure['code']> = new Set([
  'too-many-subscribers',
  'subscriber-too-slow',
  'reader-too-slow',
]);

/** Whether a stream ended with a failure that is no news to whoever runs the service. */
export function isForeseen(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return statusOf(error.failure) < 500 || READER_CODES.has(error.failure.code);
}
