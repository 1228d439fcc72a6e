import {failureOf, parseAnswer, readAnswer} from '../../client/answer.ts';
import {AppError} from '../../domain/failure.ts';
import type {Imported, ImportMode} from '../../domain/transfer.ts';
import {readImported} from '../../protocol/imported.ts';
import {AdvisedError} from '../failures/report.ts';
import {fetchOverHttp} from '../service/http-fetch.ts';
import {type ExportFacts, readExport} from './read-export.ts';

/** A service that entries are taken out of, or brought into. */
export interface ServiceTransfer {
  /** Such as `http://127.0.0.1:7172`. */
  readonly url: string;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** An export on its way: the chunks as they come, which end only with its trailer, and what is known of them so far. */
export interface IncomingExport {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly facts: Readonly<ExportFacts>;
}

/**
 * Begins an export.
 *
 * @throws {AppError} What the service threw; `service-unreachable`. The chunks throw `unexpected-answer` when they are cut
 * off.
 */
export async function beginExport({url, signal}: ServiceTransfer, prefix: string): Promise<IncomingExport> {
  const target = `${url}/api/export${prefix === '' ? '' : `?prefix=${encodeURIComponent(prefix)}`}`;
  const response = await exchange(new Request(target, {signal}), url);
  const facts: ExportFacts = {entries: 0, sizeBytes: 0, revision: ''};
  const cutOff = (cause?: unknown): Error => {
    const problem = 'it was cut off before its end';
    const failure = {code: 'unexpected-answer', url: target, status: response.status, problem} as const;
    return new AdvisedError(
      new AppError(failure, {cause}),
      'Its log says why; "crewroom doctor --deep" names entries that are corrupt',
    );
  };
  return {chunks: readExport(response.body ?? [], facts, {signal, cutOff}), facts};
}

/** How chunks are imported. */
export interface SendImportOptions {
  readonly mode: ImportMode;
  readonly dryRun: boolean;
}

/**
 * Imports an export.
 *
 * @throws {AppError} What the service threw; `service-unreachable`.
 * @throws What the chunks throw; the service then stores nothing more of them.
 */
export async function sendImport(
  {url, signal}: ServiceTransfer,
  chunks: AsyncIterable<Uint8Array>,
  {mode, dryRun}: SendImportOptions,
): Promise<Imported> {
  const target = `${url}/api/import?mode=${mode}&dry-run=${dryRun}`;
  const headers = {'Content-Type': 'application/x-ndjson'};
  const request = new Request(target, {
    ...{method: 'POST', headers, signal},
    ...{body: toStream(chunks), duplex: 'half'},
  });
  const answer = await readAnswer(target, await exchange(request, url));
  return parseAnswer(answer, readImported);
}

/** Sends a request; an answer that tells of a failure is thrown. */
async function exchange(request: Request, url: string): Promise<Response> {
  try {
    const response = await fetchOverHttp(request);
    if (response.ok) return response;
    throw failureOf(await readAnswer(request.url, response));
  } catch (error) {
    request.signal.throwIfAborted();
    throw describeTrouble(error, url);
  }
}

/** What made a request fail: what we sent could not be read, or the service could not be reached. */
function describeTrouble(error: unknown, url: string): unknown {
  const cause = error instanceof Error && error.message === 'fetch failed' ? error.cause : undefined;
  if (!(cause instanceof Error)) return error;
  if (cause instanceof AppError || cause instanceof AdvisedError) return cause;
  const {code, message} = cause as NodeJS.ErrnoException;
  const problem = code === 'ECONNREFUSED' ? 'nothing listens there' : message || (code ?? '');
  return new AppError({code: 'service-unreachable', url, problem}, {cause});
}

/** Takes a chunk only when it is asked for one. */
function toStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      pull: async controller => {
        const {done, value} = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await iterator.return?.()),
    },
    {highWaterMark: 0},
  );
}
