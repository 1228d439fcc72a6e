import {isUtf8} from 'node:buffer';
import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {codeOf} from '../failures/app-error.ts';

/**
 * Reads a file that people write as text, like {@link readRegularFile}.
 *
 * @returns The text in UTF-8, see {@link toUtf8}.
 * @throws {FileError} Also `encoding`.
 */
export async function readTextFile(path: string, bytesMax: number): Promise<Buffer> {
  return toUtf8(await readRegularFile(path, bytesMax));
}

/**
 * Returns a text that people wrote in UTF-8, without its byte order mark. One in UTF-16 with a byte order mark, as Windows PowerShell and
 * Notepad write it, is converted.
 *
 * @throws {FileError} `encoding` for UTF-16 without a byte order mark, for UTF-16 that is damaged, and for a text that is neither, such as
 * one in Windows-1252.
 */
export function toUtf8(bytes: Buffer): Buffer {
  const {start, encoding} = findEncoding(bytes);
  const text = bytes.subarray(start);
  if (encoding === 'utf-8') return assertUtf8(text);
  return recode(decoderOf(encoding), text, {isLast: true});
}

/**
 * Like {@link toUtf8}, for a text of any length that arrives in chunks. Whether one without a byte order mark is UTF-8 is left to its parser.
 *
 * @throws {FileError} `encoding`.
 */
export async function* streamAsUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  /** The beginning, until its encoding is known. */
  let head: Buffer | undefined = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    let text = chunk;
    if (head !== undefined) {
      head = Buffer.concat([head, chunk]);
      if (isUndecided(head)) continue;
      const {start, encoding} = findEncoding(head);
      text = head.subarray(start);
      head = undefined;
      if (encoding !== 'utf-8') decoder = decoderOf(encoding);
    }
    const recoded = decoder === undefined ? text : recode(decoder, text, {isLast: false});
    // Streams of bytes accept no empty chunk.
    if (recoded.length > 0) yield recoded;
  }
  const rest = head === undefined ? undefined : toUtf8(head);
  if (rest !== undefined && rest.length > 0) yield rest;
  if (decoder !== undefined) recode(decoder, Buffer.alloc(0), {isLast: true});
}

function assertUtf8(text: Buffer): Buffer {
  if (isUtf8(text)) return text;
  // Where the text differs once it was decoded, which replaces what is not UTF-8.
  const at = Buffer.from(text.toString()).findIndex((byte, index) => byte !== text[index]);
  const problem = `not UTF-8 from byte ${at} on, but perhaps Windows-1252, which editors also call ANSI; save it as UTF-8`;
  throw new FileError('encoding', {cause: new Error(problem)});
}

/** Longest byte order mark, in bytes: that of UTF-8. */
const MARK_BYTES_MAX = 3;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Returns whether more bytes are needed to find the encoding. The writer of a pipe may pause after a short line. */
function isUndecided(head: Buffer): boolean {
  if (head.length < 2) return true;
  return head.length < MARK_BYTES_MAX && head[0] === 0xef;
}

/** Finds the encoding of a text by its first bytes, and where the text begins. */
function findEncoding(bytes: Buffer): {readonly start: number; readonly encoding: Encoding} {
  const head = bytes.toString('hex', 0, MARK_BYTES_MAX);
  if (head.startsWith('efbbbf')) return {start: 3, encoding: 'utf-8'};
  if (head.startsWith('fffe')) return {start: 2, encoding: 'utf-16le'};
  if (head.startsWith('feff')) return {start: 2, encoding: 'utf-16be'};
  // Each of our texts begins with a character of ASCII, which takes two bytes, one of them null.
  if (/^(?:00(?!00)..|(?!00)..00)/.test(head))
    throw new FileError('encoding', {cause: new Error('UTF-16 without a byte order mark, not UTF-8')});
  return {start: 0, encoding: 'utf-8'};
}

/** Creates a decoder for UTF-16. Its mark was skipped: a second one is a character. */
function decoderOf(encoding: Encoding): InstanceType<typeof TextDecoder> {
  return new TextDecoder(encoding, {fatal: true, ignoreBOM: true});
}

/** Converts the next part of a text into UTF-8. */
function recode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, {isLast}: {readonly isLast: boolean}) {
  try {
    return Buffer.from(decoder.decode(bytes, {stream: !isLast}));
  } catch (error) {
    throw new FileError('encoding', {cause: new Error('damaged UTF-16', {cause: error})});
  }
}

/** Reason why a file cannot be read. */
export type FileProblem = 'missing' | 'not-regular' | 'too-large' | 'unreadable' | 'encoding';

/** A file that cannot be read. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly problem: FileProblem;

  constructor(problem: FileProblem, options?: ErrorOptions) {
    super(options?.cause instanceof Error ? options.cause.message : problem, options);
    this.problem = problem;
  }
}

/** Describes why a file cannot be read, for example `does not exist`. */
export function describeFileError({problem, message}: FileError, bytesMax: number): string {
  switch (problem) {
    case 'missing':
      return 'does not exist';
    case 'not-regular':
      return 'is not a regular file';
    case 'too-large':
      return `is larger than ${bytesMax} bytes`;
    case 'unreadable':
      return `cannot be read: ${message}`;
    case 'encoding':
      return `is ${message}`;
  }
}

/** Size of a read, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a regular file. Refuses a pipe, a device or a directory at once: a pipe without a writer would block a thread of the
 * process for ever, and a device may have no end.
 *
 * @param bytesMax Maximum number of bytes to read; files of some file systems are larger than their reported size.
 * @throws {FileError}
 */
export async function readRegularFile(path: string, bytesMax: number): Promise<Buffer> {
  const file = await openNow(path);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new FileError('not-regular');
    if (status.size > bytesMax) throw new FileError('too-large');
    const chunks: Buffer[] = [];
    for (let sizeBytes = 0; ; ) {
      const {bytesRead, buffer} = await file.read({buffer: Buffer.allocUnsafe(CHUNK_BYTES)});
      if (bytesRead === 0) return Buffer.concat(chunks);
      sizeBytes += bytesRead;
      if (sizeBytes > bytesMax) throw new FileError('too-large');
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } catch (error) {
    throw error instanceof FileError ? error : new FileError('unreadable', {cause: error});
  } finally {
    await file.close();
  }
}

/**
 * Opens a file to read it; a pipe is opened without waiting for a writer (open(2), O_NONBLOCK).
 *
 * @throws {FileError} `missing` or `unreadable`.
 */
export async function openNow(path: string): Promise<FileHandle> {
  try {
    // Windows has no such flag, and no pipes in its file system.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new FileError(codeOf(error) === 'ENOENT' ? 'missing' : 'unreadable', {cause: error});
  }
}
