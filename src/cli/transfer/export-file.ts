import {type FileHandle, lstat} from 'node:fs/promises';
import {basename, dirname, join, win32} from 'node:path';
import {createTransfer} from '../../client/transfer/http-transfer.ts';
import {formatBytes} from '../../core/domain/byte-size.ts';
import type {Export} from '../../core/domain/commits/transfer.ts';
import type {Entry} from '../../core/domain/entries/entry.ts';
import {parsePrefix, type Revision} from '../../core/domain/entries/identifiers.ts';
import {findFileNameProblem} from '../../core/domain/plugins/file-name.ts';
import {codeOf, isFailure, messageOf, unwritableOutput} from '../../core/failures/app-error.ts';
import {replaceFile} from '../../core/files/directory.ts';
import {PRIVATE_FILE_MODE} from '../../core/files/own.ts';
import {formatEntryLines, formatHeaderLine, formatTrailerLine} from '../../core/protocol/transfer/export-lines.ts';
import {AdvisedError} from '../failures/report.ts';
import {formatEntries} from '../output/counts.ts';
import type {ConnectedClient} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {startProgress} from '../terminal/progress.ts';

/** The file that an export is written to. */
export interface ExportTarget extends Pick<CliContext, 'randomName' | 'platform'> {
  /** The path as the user typed it. */
  readonly name: string;
  readonly path: string;
}

/**
 * Returns whether a file is there already.
 *
 * @throws {AppError} `unwritable-output` for anything else, such as a pipe or a link, which another user may have planted, and as
 * {@link assertFileName}.
 */
export async function isTaken(target: ExportTarget): Promise<boolean> {
  assertFileName(target);
  const found = await lstat(target.path).catch(() => undefined);
  if (found?.isFile() === false)
    throw unwritableOutput(target.name, 'it is not a file; without a name the export goes to standard output');
  return found !== undefined;
}

/** Refuses, on Windows, a path that would be something else than a file. @throws {AppError} `unwritable-output`. */
export function assertFileName({name, path, platform}: Pick<ExportTarget, 'name' | 'path' | 'platform'>): void {
  const problem = platform === 'win32' ? findFileNameProblem(win32.basename(path)) : undefined;
  if (problem !== undefined) throw unwritableOutput(name, `it ${problem}`);
}

/**
 * Writes chunks to a file that appears only when it is complete, and only its owner may read; once the promise resolved, it survives a
 * loss of power.
 *
 * @throws {AppError} `unwritable-output`.
 * @throws {Error} The error of the chunks.
 */
export async function writeExportFile(
  chunks: AsyncIterable<Uint8Array>,
  {name, path, randomName}: ExportTarget,
): Promise<void> {
  // Unguessable: in a shared directory another user could have made a link of that name.
  const temporary = join(dirname(path), `.${basename(path)}.${randomName()}.new`);
  const refuse = (error: unknown): never => {
    throw unwritableOutput(name, PROBLEMS.get(codeOf(error)) ?? messageOf(error), {cause: error});
  };
  let filling: Promise<void> | undefined;
  const fill = (file: FileHandle): Promise<void> => {
    filling = (async () => {
      for await (const chunk of chunks) await file.writeFile(chunk).catch(refuse);
    })();
    return filling;
  };
  await replaceFile(path, fill, {mode: PRIVATE_FILE_MODE, temporary}).catch(async error => {
    // The error of the chunks, if they failed.
    await filling;
    refuse(error);
  });
}

/** Returns an export of entries that no service has, in the order of their keys. */
export async function* exportOf(
  entries: readonly Entry[],
  revision: Revision,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield formatEntryLines(entries, formatHeaderLine({revision, prefix: parsePrefix('')}));
  yield new TextEncoder().encode(formatTrailerLine(entries.length));
}

const PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such directory'],
  ['ENOTDIR', 'there is no such directory'],
  ['EACCES', 'this user may not write there'],
  ['ENOSPC', 'the disk is full'],
]);

/** An export of the running service. */
export interface ExportCall {
  readonly context: CliContext;
  readonly service: ConnectedClient;
  readonly prefix: string;
  /** Shown with the progress, such as `Exporting`; without it no progress is shown. */
  readonly label?: string | undefined;
}

/** Counts of an export so far. */
interface ExportFacts {
  entries: number;
  sizeBytes: number;
  readonly revision: number;
}

/**
 * Passes the chunks of an export to a function, and shows the progress.
 *
 * @returns The result of the function, and the counts.
 * @throws {AppError} What the service threw; `service-unreachable`. The chunks throw `unexpected-answer` if the export is
 * truncated.
 */
export function exportTo<T>(
  {context, service: {url, fetch}, prefix, label}: ExportCall,
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<{readonly result: T; readonly facts: Readonly<ExportFacts>}> {
  return untilInterrupted(context, async signal => {
    await using progress = startProgress(context);
    const exported = await createTransfer({baseUrl: url, fetch}).export({prefix, signal});
    const facts: ExportFacts = {entries: 0, sizeBytes: 0, revision: exported.revision};
    const onTaken = (): void => {
      if (label !== undefined)
        progress.show(() => `${label}: ${formatEntries(facts.entries)}, ${formatBytes(facts.sizeBytes)}`);
    };
    return {result: await take(count(exported, facts, onTaken)), facts};
  });
}

/**
 * Passes chunks on and counts their lines, of which the first and the last are not entries. Calls `onTaken` after each one that was consumed: no chunk
 * is read before.
 */
async function* count(exported: Export, facts: ExportFacts, onTaken: () => void): AsyncGenerator<Uint8Array, void> {
  let lines = 0;
  try {
    for await (const chunk of exported) {
      lines += countLines(chunk);
      facts.sizeBytes += chunk.length;
      facts.entries = Math.max(0, lines - 1);
      yield chunk;
      onTaken();
    }
    facts.entries = Math.max(0, lines - 2);
  } catch (error) {
    throw advise(error);
  }
}

function advise(error: unknown): unknown {
  if (!isFailure(error, 'unexpected-answer')) return error;
  return new AdvisedError(error, 'See the log of the service; "crewroom doctor --deep" names entries that are corrupt');
}

const LINE_FEED = 0x0a;

function countLines(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
