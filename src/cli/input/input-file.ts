import {constants, createReadStream, fstatSync, openSync, type Stats} from 'node:fs';
import {Socket} from 'node:net';
import type {Readable} from 'node:stream';
import {isatty, ReadStream} from 'node:tty';

/** A file that was named on the command line, opened to be read once. */
export interface InputFile {
  readonly status: Stats;
  /** Its bytes as they come; afterwards it is closed. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends reading it early: a pipe that its writer leaves open would keep the process. */
  close(): void;
}

/** How much of a file is read at once, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Opens a file, also one that is not regular, such as the pipe that a shell makes of `<(command)`. No thread of the process ever
 * waits for the writer of a pipe: the process could not end as long as one does.
 *
 * @throws What the system says.
 */
export function openInputFile(path: string): InputFile {
  // Windows has no such flag, and no pipes in its file system.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const status = fstatSync(descriptor);
  const stream = streamOf(descriptor, status);
  return {status, chunks: stream, close: () => void stream.destroy()};
}

/** What has to be waited for is waited for by the event loop; all else is there. */
function streamOf(descriptor: number, status: Stats): Readable {
  if (status.isFIFO()) return new Socket({fd: descriptor, readable: true, writable: false});
  if (isatty(descriptor)) return new ReadStream(descriptor);
  return createReadStream('', {fd: descriptor, highWaterMark: CHUNK_BYTES});
}
