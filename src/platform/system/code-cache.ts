import {isAscii} from 'node:buffer';
import {createHash, type Hash} from 'node:crypto';
import {lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {homedir} from 'node:os';
import {basename, dirname, join, parse} from 'node:path';
import {Script} from 'node:vm';
import {findOwnProblem, PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE} from '../../core/files/own.ts';

/** Number of files in the cache for a program: its versions, places and flags share them. */
const FILES = 4;

/** Largest file that is read, in bytes: many times the compiled code of the program. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

const DIGEST_BYTES = 32;

/** Uptime from which on a program has run more of its functions than short commands do, in seconds. */
const LONG_RUN_SECONDS = 10;

/** A loaded program. */
export interface Program<T> {
  readonly exports: T;
  /**
   * Keeps its compiled code for the next start, if that is not kept yet. Call it at the end: functions that never ran are not in it. Does nothing if
   * it cannot be kept.
   */
  keep(): void;
}

/**
 * Loads a CommonJS module as `require` does, with its compiled code from a cache. Node has one too, from 22.8 on, which holds the code in memory for as
 * long as the process runs.
 *
 * The code in the cache is executed: the directory has to be one to which only this user can write (see `prepareCacheDirectory`). A file begins
 * with a digest of itself, of the module, and of all that V8 compiles by, so that one that is damaged, or of another build, is ignored. A module that
 * was edited in place goes unnoticed if its length stays the same: its digest is the one of the build, and V8 compares only the length.
 *
 * @param file Path of the module, whose whole text is the function that Node would make of it: to join them would copy 2 MB that stay in memory; and
 * a digest of its content that the build wrote: to make one takes 2 % of a start.
 * @param directory Undefined to load it without a cache.
 */
export function loadProgram<T>(
  {file, digest: content}: {readonly file: string; readonly digest: string},
  directory: string | undefined,
): Program<T> {
  const {version, arch, execArgv} = process;
  const settings = [version, arch, process.env['NODE_OPTIONS'], ...execArgv, file, content].join('\n');
  const digest = createHash('sha256').update(settings);
  const [place = 0] = digest.copy().digest();
  const cacheFile = directory === undefined ? undefined : join(directory, `${parse(file).name}-${place % FILES}.cache`);
  const {script, usedBytes} = compile(file, cacheFile, digest);
  const module = {exports: {}};
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  return {
    exports: module.exports as T,
    keep: () => {
      if (cacheFile === undefined || (usedBytes > 0 && process.uptime() < LONG_RUN_SECONDS)) return;
      try {
        const data = script.createCachedData();
        if (data.length > usedBytes) writeCache(cacheFile, digest, data);
      } catch {
        // The cache is optional.
      }
    },
  };
}

/** Compiles a module. A function of its own: the megabytes that it reads can be collected when it returns, before the module runs. */
function compile(file: string, cacheFile: string | undefined, digest: Hash) {
  const cachedData = cacheFile === undefined ? undefined : readCache(cacheFile, digest);
  const script = new Script(decode(readFileSync(file)), {
    filename: file,
    ...(cachedData === undefined ? {} : {cachedData}),
  });
  return {script, usedBytes: script.cachedDataRejected === true ? 0 : (cachedData?.length ?? 0)};
}

/** Decodes a text of 2 MB, usually ASCII: that takes a third of the time of UTF-8, and leaves it outside V8's heap. */
function decode(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}

function readCache(file: string, digest: Hash): Buffer | undefined {
  try {
    const {size} = statSync(file);
    if (size > FILE_BYTES_MAX) return undefined;
    const bytes = readFileSync(file);
    const data = bytes.subarray(DIGEST_BYTES);
    return digest.copy().update(data).digest().equals(bytes.subarray(0, DIGEST_BYTES)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a file beside its place first. Another start that writes it too makes one that its digest refuses. @throws {Error} If the disk fails. */
function writeCache(file: string, digest: Hash, data: Buffer): void {
  const written = `${file}.new`;
  writeFileSync(written, Buffer.concat([digest.copy().update(data).digest(), data]), {mode: PRIVATE_FILE_MODE});
  renameSync(written, file);
}

/**
 * Prepares the directory in which the compiled code of this program is kept for the next start: one to which only this user can write, because this code is executed.
 *
 * @param userId The user of this process; undefined on Windows, where the profile of a user is closed to others by its ACL.
 * @returns Undefined if no code may be kept: other users could write there, this user has no home directory, or the disk fails.
 */
export function prepareCacheDirectory(cacheDir: string, userId: number | undefined): string | undefined {
  try {
    // Accounts of services often name a home directory that must not exist.
    if (statSync(homedir(), {throwIfNoEntry: false}) === undefined) return undefined;
    const directory = locate(cacheDir);
    if (canBeReplaced(directory, userId)) return undefined;
    makeDirectory(directory);
    return isPrivate(directory, userId) ? directory : undefined;
  } catch {
    // The cache is optional: it only makes the next start faster.
    return undefined;
  }
}

/** Creates a directory without `recursive`, which never ends below `/proc`. That of `core/files/` is asynchronous. */
function makeDirectory(path: string): void {
  if (statSync(path, {throwIfNoEntry: false}) !== undefined) return;
  makeDirectory(dirname(path));
  mkdirSync(path, {mode: PRIVATE_DIRECTORY_MODE});
}

/** Resolves links above the last part of a path, so that later changes of links have no effect. */
function locate(path: string): string {
  const parent = dirname(path);
  const isThere = parent === path || statSync(parent, {throwIfNoEntry: false}) !== undefined;
  return join(isThere ? realpathSync(parent) : locate(parent), basename(path));
}

function isPrivate(directory: string, userId: number | undefined): boolean {
  const status = lstatSync(directory);
  // Reading alone is a problem too: with a wide umask the files in it may be writable.
  return status.isDirectory() && findOwnProblem(status, {forbidden: 'reading', userId}) === undefined;
}

/** Returns whether another user could replace a directory, in one of those above it. */
function canBeReplaced(directory: string, userId: number | undefined): boolean {
  const parent = dirname(directory);
  if (parent === directory || userId === undefined) return false;
  const status = statSync(parent, {throwIfNoEntry: false});
  const isOpen = status !== undefined && findOwnProblem(status, {forbidden: 'replacing', userId}) !== undefined;
  return isOpen || canBeReplaced(parent, userId);
}
