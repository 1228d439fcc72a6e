import type {Stats} from 'node:fs';
import {type FileHandle, lstat, open, realpath, stat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {isatty} from 'node:tty';
import type {Entry} from '../../domain/entries/entry.ts';
import {parsePrefix} from '../../domain/entries/key.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {AppError} from '../../failures/app-error.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import {findOwnProblem, PRIVATE_FILE_MODE} from '../../files/own.ts';
import {replaceFile} from '../../files/replace-file.ts';
import {formatEntryLines, formatHeaderLine, formatTrailerLine} from '../../protocol/transfer/export-lines.ts';
import type {CliContext} from '../terminal/context.ts';
import {escapeParts} from '../terminal/escape.ts';

/** The file that an export is written to. */
export interface ExportTarget extends Pick<CliContext, 'userId' | 'randomName'> {
  /** The path as the user typed it. */
  readonly name: string;
  readonly path: string;
}

/** The kind of a target: `taken` if it is a file or directory that exists, `device` for a terminal, for example. */
export type TargetKind = 'free' | 'taken' | 'device';

/**
 * Returns the kind of a target. A pipe is free: it can be written to.
 *
 * @throws {AppError} `unwritable-output` for a pipe or link of another user.
 */
export async function kindOf(target: ExportTarget): Promise<TargetKind> {
  const {found} = await locate(target);
  if (found?.isCharacterDevice()) return 'device';
  return found?.isFile() === true || found?.isDirectory() === true ? 'taken' : 'free';
}

/**
 * Writes chunks to a file that appears only when it is complete, and only its owner may read; once the promise resolved, it survives a
 * loss of power. A device or pipe is written to in place; on a terminal control characters are escaped, which means
 * the same in JSON.
 *
 * @throws {AppError} `unwritable-output`.
 * @throws {Error} The error of the chunks.
 */
export async function writeExportFile(chunks: AsyncIterable<Uint8Array>, target: ExportTarget): Promise<void> {
  const {name} = target;
  const {path, found} = await locate(target);
  if (found?.isDirectory()) throw unwritable(name, 'it is a directory');
  if (found !== undefined && !found.isFile()) {
    const device = await writing(name, open(path, 'w', PRIVATE_FILE_MODE));
    // A terminal obeys control characters, under any name.
    const shown = isatty(device.fd) ? escapeParts(chunks) : chunks;
    return writeInto(shown, device, name).finally(() => device.close());
  }
  // Unguessable: in a shared directory another user could have made a link of that name.
  const temporary = join(dirname(path), `.${basename(path)}.${target.randomName()}.new`);
  let filling: Promise<void> | undefined;
  const fill = (file: FileHandle): Promise<void> => {
    filling = writeInto(chunks, file, name);
    return filling;
  };
  await replaceFile(path, fill, {mode: PRIVATE_FILE_MODE, temporary}).catch(async error => {
    // The error of the chunks, if they failed.
    await filling;
    throw unwritable(name, problemOf(error), {cause: error});
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

/** Resolves a target. A link of this user, or of root, is kept: its target is replaced. */
async function locate(target: ExportTarget): Promise<{readonly path: string; readonly found: Stats | undefined}> {
  const {name, path} = target;
  const named = await lstat(path).catch(() => undefined);
  assertNotPlanted(named, target);
  if (!named?.isSymbolicLink()) return {path, found: named};
  const end = await writing(name, findEnd(path));
  const found = await stat(end).catch(() => undefined);
  // A link without a named target, such as /dev/stdout to a pipe, cannot come from another user.
  if (end !== path) assertNotPlanted(found, target);
  return {path: end, found};
}

/** Returns the target of a link; the link itself if the target has no name. */
async function findEnd(link: string): Promise<string> {
  try {
    return await realpath(link);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return link;
    throw error;
  }
}

/**
 * Refuses a pipe or a link of another user, who could read the entries or choose which file they overwrite. Files are safe: they
 * are replaced, not written to. Devices are safe: only root can make them, and a terminal belongs to the user who logged in.
 */
function assertNotPlanted(found: Stats | undefined, {name, userId}: ExportTarget): void {
  if (found === undefined || found.isFile() || found.isDirectory() || found.isCharacterDevice()) return;
  const owner = findOwnProblem(found, {forbidden: 'replacing', userId})?.owner;
  if (owner !== undefined) throw unwritable(name, `it belongs to user ${owner}`);
}

async function writeInto(chunks: AsyncIterable<Uint8Array>, file: FileHandle, name: string): Promise<void> {
  for await (const chunk of chunks) await writing(name, writeAll(file, chunk));
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

/** Turns an error of the operating system into a failure that names the file. */
async function writing<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unwritable(name, problemOf(error), {cause: error});
  }
}

function problemOf(error: unknown): string {
  return PROBLEMS.get(codeOf(error)) ?? messageOf(error);
}

const PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such directory'],
  ['ENOTDIR', 'there is no such directory'],
  ['EACCES', 'this user may not write there'],
  ['ENOSPC', 'the disk is full'],
]);

function unwritable(name: string, problem: string, options?: ErrorOptions): AppError {
  return new AppError({code: 'unwritable-output', target: JSON.stringify(name), problem}, options);
}
