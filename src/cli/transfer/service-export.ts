import {createTransfer} from '../../client/transfer/http-transfer.ts';
import type {Export} from '../../domain/commits/transfer.ts';
import {AppError} from '../../failures/app-error.ts';
import {AdvisedError} from '../failures/report.ts';

/** Counts of an export so far. */
export interface ExportFacts {
  /** Entries so far. */
  entries: number;
  /** Bytes so far. */
  sizeBytes: number;
  readonly revision: number;
}

/** An export of a service, with its counts so far. */
export interface CountedExport {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly facts: Readonly<ExportFacts>;
}

/** A service that entries are exported from, or imported into. */
export interface ReachedService {
  /** Address of the service, such as `http://127.0.0.1:7172`. */
  readonly url: string;
  /** Sends the requests. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The service and the entries that are exported. */
export interface ServiceExport extends ReachedService {
  readonly prefix: string;
  /** Ends the export. */
  readonly signal: AbortSignal;
}

/**
 * Begins an export.
 *
 * @throws {AppError} What the service threw; `service-unreachable`. The chunks throw `unexpected-answer` if the export is
 * truncated.
 */
export async function beginExport({url, fetch, prefix, signal}: ServiceExport): Promise<CountedExport> {
  const exported = await createTransfer({baseUrl: url, fetch}).export({prefix, signal});
  const facts: ExportFacts = {entries: 0, sizeBytes: 0, revision: exported.revision};
  return {chunks: count(exported, facts), facts};
}

/** Passes chunks on and counts their lines, of which the first and the last are not entries. */
async function* count(exported: Export, facts: ExportFacts): AsyncGenerator<Uint8Array, void, undefined> {
  let lines = 0;
  try {
    for await (const chunk of exported) {
      lines += countLines(chunk);
      facts.sizeBytes += chunk.length;
      facts.entries = Math.max(0, lines - 1);
      yield chunk;
    }
    facts.entries = Math.max(0, lines - 2);
  } catch (error) {
    throw advise(error);
  }
}

function advise(error: unknown): unknown {
  if (!(error instanceof AppError) || error.failure.code !== 'unexpected-answer') return error;
  return new AdvisedError(error, 'See the log of the service; "crewroom doctor --deep" names entries that are corrupt');
}

const LINE_FEED = 0x0a;

function countLines(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
