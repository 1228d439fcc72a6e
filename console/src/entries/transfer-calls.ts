import {CallFailure, callService, fetchAsOwner, readFailure} from '../service/call-service.ts';
import type {Imported, ImportMode} from '../service/documents.ts';
import {dropRefusedToken, ownerHeaders} from '../service/owner.ts';

/** Progress of an export. */
export interface ExportProgress {
  /** Number of entries that have arrived. */
  readonly entries: number;
  readonly sizeBytes: number;
}

interface ExportParts {
  readonly prefix: string;
  readonly onProgress: (progress: ExportProgress) => void;
  readonly signal: AbortSignal;
}

/** Size of the end of an export in which its trailer is searched, in bytes: more than a trailer has. */
const TAIL_BYTES = 100;

/**
 * Exports the entries under a prefix. The browser keeps the file as it arrives, on disk if it is large; the page never has more than a chunk.
 *
 * @throws {CallFailure} The failure that the service answered; `service-unreachable`; `unexpected-answer` if the export is cut off.
 */
export async function exportEntries({prefix, onProgress, signal}: ExportParts): Promise<Blob> {
  const response = await unlessAway(
    fetchAsOwner(new Request(`/api/export?${new URLSearchParams({prefix})}`, {signal})),
    signal,
  );
  if (!response.ok) throw readFailure(response.status, await response.json().catch(() => undefined));
  // The header and the trailer have lines as well.
  let [lines, sizeBytes] = [-2, 0];
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      for (const byte of chunk) if (byte === 10) lines++;
      sizeBytes += chunk.length;
      onProgress({entries: Math.max(0, lines), sizeBytes});
      controller.enqueue(chunk);
    },
  });
  const file = await unlessAway(new Response(response.body?.pipeThrough(counter) ?? null).blob(), signal);
  const end = await file.slice(-TAIL_BYTES).text();
  if (!end.trimEnd().endsWith('}') || !end.includes('{"end":true,'))
    throw new CallFailure('The export was cut off before its end', {code: 'unexpected-answer', advice: 'Export again'});
  onProgress({entries: lines, sizeBytes});
  return file;
}

/** Answer of `POST /api/snapshots`: empty if the store is in memory. */
export interface SnapshotBefore {
  readonly name?: string;
  /** Command line that restores the entries; absent if none passes on the paths of the service. */
  readonly undo?: string;
  /** The store and its revision that the entries are of. */
  readonly storeId?: string;
  readonly revision?: string;
}

/** More than the first line of an export has, in bytes. */
const HEADER_BYTES_MAX = 8192;

/**
 * Lets the service save the entries that an import of a file is about to replace.
 *
 * @throws {CallFailure} `snapshot-failed`, `owner-required`.
 * @throws The reason of the signal.
 */
export async function saveBefore(file: Blob, signal: AbortSignal): Promise<SnapshotBefore> {
  const [header = ''] = (await file.slice(0, HEADER_BYTES_MAX).text()).split('\n');
  const {prefix = ''} = (parse(header) ?? {}) as {readonly prefix?: string};
  return callService<SnapshotBefore>(`/api/snapshots?${new URLSearchParams({prefix})}`, {method: 'POST', signal});
}

interface ImportParts {
  readonly mode: ImportMode;
  /** `replace` deletes no entry that was written after this revision, given with its store. */
  readonly keepAfter?: string | undefined;
  /** Checks everything, and stores nothing. */
  readonly dryRun: boolean;
  /** Called with the part that was sent, from 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Imports a file. The browser sends it from the disk: unlike `fetch`, an XMLHttpRequest reports how much it has sent.
 *
 * @throws {CallFailure} `invalid-import` with the line, and other failures that the service answered; `service-unreachable`.
 */
export async function importEntries(
  file: Blob,
  {mode, keepAfter, dryRun, onProgress, signal}: ImportParts,
): Promise<Imported> {
  const request = new XMLHttpRequest();
  const query = {mode, ...(keepAfter === undefined ? {} : {keepAfter}), dryRun: String(dryRun)};
  request.open('POST', `/api/import?${new URLSearchParams(query)}`);
  const sent = ownerHeaders();
  for (const [name, value] of Object.entries(sent)) request.setRequestHeader(name, value);
  request.setRequestHeader('Content-Type', 'application/x-ndjson');
  request.upload.addEventListener('progress', ({loaded, total}) => onProgress(total === 0 ? 1 : loaded / total));
  const abort = (): void => request.abort();
  signal.addEventListener('abort', abort);
  const ended = new Promise(resolve => request.addEventListener('loadend', resolve));
  request.send(file);
  await ended;
  signal.removeEventListener('abort', abort);
  signal.throwIfAborted();
  if (request.status === 0)
    throw new CallFailure('The connection to the service was lost', {code: 'service-unreachable'});
  const document = parse(request.responseText);
  if (request.status >= 400 || document === undefined) {
    const failure = readFailure(request.status, document);
    if (failure.code === 'invalid-token' && request.getResponseHeader('Crewroom-Fault') === null)
      dropRefusedToken(sent);
    throw failure;
  }
  return document as Imported;
}

async function unlessAway<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    throw new CallFailure('The connection to the service was lost', {code: 'service-unreachable'}, {cause: error});
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return;
  }
}
