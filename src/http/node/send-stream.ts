import type {ServerResponse} from 'node:http';
import {AppError} from '../../core/failures/app-error.ts';
import {statusOf} from '../../core/failures/facts.ts';
import type {HttpStream} from '../core/message.ts';
import type {Connection} from './connections/connection.ts';

export interface SendStreamOptions {
  /** Ends the stream early but properly: the response is complete. */
  readonly signal?: AbortSignal | undefined;
  /** Tracks when the stream waits for its client, and its progress; undefined for a stream without its own end. */
  readonly connection: Pick<Connection, 'enter' | 'addProgress'> | undefined;
  /** Called with an error that the iterator throws when it is returned. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends a body while it is produced; the caller writes the head before and ends the response after. Resolves when the body
 * ends, the signal is aborted, or the client disconnects. In the last two cases the iterator is returned, without waiting
 * for it.
 *
 * @throws {unknown} Any error of the body.
 */
export async function sendStream(
  response: ServerResponse,
  body: HttpStream,
  {signal, connection, onError}: SendStreamOptions,
): Promise<void> {
  // The client gets the head even if there is no chunk yet.
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

/** Returns an iterator. One that waits for something itself may take long, or never finish: do not wait for it. */
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

/** Hands a chunk to the operating system. @returns True if the response accepts more. */
async function write(
  response: ServerResponse,
  chunk: string | Uint8Array,
  connection: SendStreamOptions['connection'],
): Promise<boolean> {
  // The callback is called even if the socket is closed. The `drain` event is not safe: if a pipelined request asks for
  // an upgrade, Node removes its listener that emits `drain`.
  let flushed = (): void => {};
  const whenFlushed = new Promise<void>(resolve => (flushed = resolve));
  if (response.write(chunk, () => flushed())) return true;
  connection?.enter('sending');
  await whenFlushed;
  connection?.addProgress(chunk.length);
  connection?.enter('working');
  return !response.writableEnded && !response.destroyed;
}

/** Returns whether an error of a stream is expected, so that it needs no line in the log. */
export function isExpected(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return statusOf(error) < 500 || error.code === 'busy';
}
