import type {BigIntStats} from 'node:fs';
import {realpath, stat} from 'node:fs/promises';
import {join, sep} from 'node:path';
import {promisify} from 'node:util';
import {gzip} from 'node:zlib';
import {lookup} from 'mrmime';
import {openNow, readRegularFile} from '../../core/files/text-file.ts';
import {hasTag} from '../../core/protocol/headers/preconditions.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {type HttpAnswer, type HttpRequest, OWN_HEADERS} from '../core/message.ts';

export interface FileAnswerOptions {
  /** Further headers: alternating names and values. */
  readonly rawHeaders?: readonly string[];
  /** Changes the content of text files. */
  readonly rewrite?: Rewrite | undefined;
  /** Compresses text files that are not rewritten, for clients that take gzip. @default {none is compressed} */
  readonly gzipped?: GzippedFiles | undefined;
  /** Status of the answer. With another one than 200, the whole file is sent: entity tags and ranges are those of a resource. @default {200} */
  readonly status?: number | undefined;
}

/** Changes the content of text files before they are sent. */
export interface Rewrite {
  /** Distinguishes the result from that of other rewrites; part of the entity tag, so without quotes and spaces. */
  readonly name: string;
  /** @param text The bytes of the file as latin1, one character for each. @returns The new bytes, in the same form. */
  readonly apply: (text: string) => string;
}

/** Largest text file that is rewritten, in bytes; larger ones are sent as they are. Scripts with all libraries of a page are smaller. */
export const REWRITTEN_BYTES_MAX = 16 * 1024 * 1024;

/** Size of a chunk of a streamed file, in bytes. */
const CHUNK_BYTES = 64 * 1024;

/** Headers of every answer with a file: browsers cache it, and revalidate it each time. */
const FILE_HEADERS = [...OWN_HEADERS, 'Cache-Control', 'no-cache'] as const;

/**
 * Answers with a regular file: type by its extension, entity tag, 304 if the client has it, one range, and the content as a
 * stream.
 *
 * @returns Undefined if there is no such regular file, also without a path.
 * @throws {AppError} `invalid-header`; `busy` if the memory for a rewritten file is not free.
 */
export async function answerFile(
  request: Pick<HttpRequest, 'headers' | 'rawHeaders' | 'reserveMemory'>,
  path: string | undefined,
  {rawHeaders = [], rewrite, gzipped, status = 200}: FileAnswerOptions = {},
): Promise<HttpAnswer | undefined> {
  const file = path === undefined ? undefined : await stat(path, {bigint: true}).catch(() => undefined);
  if (path === undefined || file?.isFile() !== true) return undefined;
  const contentType = contentTypeOf(path);
  const applied = rewrite !== undefined && isRewritable(contentType, file) ? rewrite : undefined;
  const varies = gzipped !== undefined && applied === undefined && isRewritable(contentType, file);
  const coded = varies && acceptsGzip(request.rawHeaders) ? gzipped : undefined;
  const tag = entityTagOf(file, coded === undefined ? applied : {name: 'gzip'});
  const vary = varies ? ['Vary', 'Accept-Encoding'] : [];
  const headers = [...FILE_HEADERS, ...(status === 200 ? ['ETag', tag] : []), ...vary, ...rawHeaders];
  if (status === 200 && hasTag(request.headers, tag)) return {status: 304, rawHeaders: headers};
  const whole = coded === undefined ? undefined : contentOf(await coded(path, tag));
  const content = whole ?? (await plainContent(request, path, file, applied));
  const typed = [...headers, 'Content-Type', contentType, ...(coded === undefined ? [] : ['Content-Encoding', 'gzip'])];
  if (status !== 200) return {...answerContent(content, undefined, typed), status};
  return answerContent(content, readRange(request.rawHeaders, content.sizeBytes, tag), [
    ...typed,
    'Accept-Ranges',
    'bytes',
  ]);
}

/** Content of a file, whole or in part. */
interface Content {
  readonly sizeBytes: number;
  slice(range: ByteRange): Exclude<HttpAnswer['body'], undefined>;
}

function answerContent(
  {sizeBytes, slice}: Content,
  range: ByteRange | 'unsatisfiable' | undefined,
  rawHeaders: readonly string[],
): HttpAnswer {
  if (range === 'unsatisfiable') {
    const place = ['Content-Range', `bytes */${sizeBytes}`, 'Content-Length', '0'];
    return {status: 416, rawHeaders: [...rawHeaders, ...place]};
  }
  const part = range ?? {first: 0, last: sizeBytes - 1};
  const place = range === undefined ? [] : ['Content-Range', `bytes ${part.first}-${part.last}/${sizeBytes}`];
  return {
    status: range === undefined ? 200 : 206,
    rawHeaders: [...rawHeaders, ...place, 'Content-Length', String(part.last - part.first + 1)],
    body: slice(part),
  };
}

async function plainContent(
  request: Pick<HttpRequest, 'reserveMemory'>,
  path: string,
  status: BigIntStats,
  rewrite: Rewrite | undefined,
): Promise<Content> {
  if (rewrite === undefined) return {sizeBytes: Number(status.size), slice: range => streamPart(path, status, range)};
  request.reserveMemory(Number(status.size));
  const text = (await readRegularFile(path, REWRITTEN_BYTES_MAX)).toString('latin1');
  return contentOf(Buffer.from(rewrite.apply(text), 'latin1'));
}

function contentOf(bytes: Uint8Array): Content {
  return {sizeBytes: bytes.length, slice: ({first, last}) => bytes.subarray(first, last + 1)};
}

/** Reads a part of a file when it is iterated. Throws if the file is no longer the one whose size was announced. */
async function* streamPart(path: string, announced: BigIntStats, {first, last}: ByteRange): AsyncGenerator<Uint8Array> {
  const file = await openNow(path);
  try {
    const status = await file.stat({bigint: true});
    if (entityTagOf(status, undefined) !== entityTagOf(announced, undefined)) throw new Error('the file has changed');
    for (let position = first; position <= last; ) {
      const length = Math.min(CHUNK_BYTES, last + 1 - position);
      const {bytesRead, buffer} = await file.read(Buffer.allocUnsafe(length), 0, length, position);
      if (bytesRead === 0) throw new Error('the file has become shorter');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function entityTagOf({size, mtimeNs, ino}: BigIntStats, rewrite: Pick<Rewrite, 'name'> | undefined): string {
  const version = `${size.toString(36)}-${mtimeNs.toString(36)}-${ino.toString(36)}`;
  return rewrite === undefined ? `"${version}"` : `"${version}-${rewrite.name}"`;
}

function contentTypeOf(path: string): string {
  const type = lookup(path) ?? 'application/octet-stream';
  return isText(type) ? `${type}; charset=utf-8` : type;
}

function isText(type: string): boolean {
  return /^text\/|^application\/(?:json|javascript|manifest\+json)$|^image\/svg\+xml$/.test(type);
}

function isRewritable(contentType: string, {size}: BigIntStats): boolean {
  return contentType.includes('charset=') && size <= REWRITTEN_BYTES_MAX;
}

/** Part of a file, both ends included. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads the range that a request asks for (RFC 9110 section 14.2).
 *
 * @param tag Entity tag of the current representation. The range is ignored if `If-Range` names another one.
 * @returns Undefined for the whole representation, also if the request has several ranges; `unsatisfiable` if the range begins
 * beyond its end.
 */
export function readRange(
  rawHeaders: readonly string[],
  sizeBytes: number,
  tag: string,
): ByteRange | 'unsatisfiable' | undefined {
  const [range, second] = headerValues(rawHeaders, 'range');
  if (range === undefined || second !== undefined) return undefined;
  if (headerValues(rawHeaders, 'if-range').some(value => value !== tag)) return undefined;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  return first === '' ? suffix(Number(last), sizeBytes) : part(Number(first), last, sizeBytes);
}

function suffix(lengthBytes: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (lengthBytes === 0 || sizeBytes === 0) return 'unsatisfiable';
  return {first: Math.max(0, sizeBytes - lengthBytes), last: sizeBytes - 1};
}

function part(first: number, last: string, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  if (last !== '' && Number(last) < first) return undefined;
  if (first >= sizeBytes) return 'unsatisfiable';
  return {first, last: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)};
}

/**
 * Finds a file below a directory by the path of a URL. Each segment is decoded once, after the path was split.
 *
 * @param path Path below the directory, percent-encoded, such as `assets/a%20b.js`.
 * @returns The real path; undefined if there is none, if a segment is not a plain name, or if a link leads out of the
 * directory.
 */
export async function findFile(directory: string, path: string): Promise<string | undefined> {
  const names = path.split('/').map(decodeName);
  if (!names.every(name => name !== undefined)) return undefined;
  try {
    const [root, file] = await Promise.all([realpath(directory), realpath(join(directory, ...names))]);
    return file.startsWith(root + sep) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a segment. @returns Undefined unless it is the name of a file on every operating system. */
function decodeName(segment: string): string | undefined {
  try {
    const name = decodeURIComponent(segment);
    return name === '' || name === '.' || name === '..' || UNSAFE.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}

/** Separators, the mark of drives and streams on Windows, and control characters. */
const UNSAFE = /[/\\:\p{Cc}]/u;

/** Reads a file, compressed. The version changes with its content. */
type GzippedFiles = (path: string, version: string) => Promise<Uint8Array>;

/** Creates a reader that compresses each file once, when it is first asked for, and keeps it: for the few files of a build. */
export function createGzippedFiles(bytesMax: number): GzippedFiles {
  const made = new Map<string, Promise<Uint8Array>>();
  return (path, version) => {
    const key = `${path} ${version}`;
    const file = made.get(key) ?? readRegularFile(path, bytesMax).then(bytes => promisify(gzip)(bytes));
    made.set(key, file);
    file.catch(() => made.delete(key));
    return file;
  };
}

/** Returns whether a client takes gzip (RFC 9110 section 12.5.3). */
function acceptsGzip(rawHeaders: readonly string[]): boolean {
  const codings = headerValues(rawHeaders, 'accept-encoding').join().replaceAll(/\s/g, '').split(',');
  return codings.some(coding => /^gzip(?:;q=(?!0(?:\.0*)?$).+)?$/i.test(coding));
}
