import {constants, createReadStream, fstatSync, openSync, type Stats} from 'node:fs';
import {Socket} from 'node:net';
import type {Readable} from 'node:stream';
import {isatty, ReadStream} from 'node:tty';

/** A file that was named on the command line, opened to be read once. It is closed after its last byte. */
export type InputFile = ReturnType<typeof openInputFile>;

/** Size of a read, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Opens a file, also one that is not regular, such as the pipe of `<(command)`. Never blocks a thread until a pipe has a writer:
 * the process could not end meanwhile.
 *
 * @throws {Error} The error of the operating system.
 */
export function openInputFile(path: string) {
  // Windows has no such flag, and no pipes in its file system.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const status = fstatSync(descriptor);
  const stream = streamOf(descriptor, status);
  const chunks: AsyncIterable<Uint8Array> = stream;
  /** Stops reading: an open pipe would keep the process alive. */
  const close = (): void => void stream.destroy();
  return {status, chunks, close};
}

/** Reads pipes and terminals by the event loop, and all other files by threads. */
function streamOf(descriptor: number, status: Stats): Readable {
  if (status.isFIFO()) return new Socket({fd: descriptor, readable: true, writable: false});
  if (isatty(descriptor)) return new ReadStream(descriptor);
  return createReadStream('', {fd: descriptor, highWaterMark: CHUNK_BYTES});
}
