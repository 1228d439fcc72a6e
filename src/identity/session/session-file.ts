import {chmod, lstat, open, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {Failure} from '../../domain/failure.ts';
import {encodeJsonText} from '../../domain/json-text.ts';
import {applyMergePatch} from '../../domain/merge-patch.ts';
import {isSentFailure} from '../../domain/sent-failure.ts';
import {describeFileError, FileError, makeDirectory, readRegularFile} from '../../files.ts';
import {readScriptUrl} from '../backend/script-url.ts';
import {type SessionRecord, TIME_MAX_MS} from './session-record.ts';

/** The name of the file in a data directory that keeps a session. */
export const SESSION_FILE = 'session.json';

/** That a session is over. */
export interface ExpiredFile {
  readonly state: 'expired';
  readonly scriptURL: string;
  readonly sinceMs: number;
  /** Why, if that is known. */
  readonly problem?: Failure | undefined;
}

/** What the file holds: the session only where there is no keychain for it. */
export type KeptFile =
  | ExpiredFile
  | (Omit<SessionRecord, 'session'> & {readonly state: 'signed-in'; readonly session?: string});

/** Only the owner may look. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** Largest such file, in bytes: the pilot in it comes from a back end, whose answers have at most 1 MiB, and is quoted. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads the file of a data directory.
 *
 * @returns Undefined where there is none.
 * @throws What the system says; an `Error` for a file of another user, and for what this module did not write.
 */
export async function readSessionFile(directory: string): Promise<KeptFile | undefined> {
  const path = join(directory, SESSION_FILE);
  try {
    await protect(path);
    return parse((await readRegularFile(path, FILE_BYTES_MAX)).toString());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof FileError) throw new Error(`it ${describeFileError(error, FILE_BYTES_MAX)}`, {cause: error});
    throw error;
  }
}

/** Writes the file, durably and whole or not at all. */
export async function writeSessionFile(directory: string, file: KeptFile): Promise<void> {
  const path = join(directory, SESSION_FILE);
  const temporary = `${path}.new`;
  await makeDirectory(directory, DIRECTORY_MODE);
  // What a start that was cut short left there may have another mode, and be a link to anywhere.
  await rm(temporary, {force: true});
  const handle = await open(temporary, 'wx', FILE_MODE);
  try {
    await handle.writeFile(`${JSON.stringify(format(file))}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
}

/** Removes the file; none is fine. */
export async function removeSessionFile(directory: string): Promise<void> {
  const path = join(directory, SESSION_FILE);
  await rm(`${path}.new`, {force: true});
  await rm(path, {force: true});
}

/** A file of somebody else could make this process go on with a session of theirs. */
async function protect(path: string): Promise<void> {
  const status = await lstat(path);
  const user = process.getuid?.();
  if (!status.isFile()) throw new Error('it is no regular file');
  if (user !== undefined && status.uid !== user) throw new Error(`it belongs to user ${status.uid}`);
  if ((status.mode & 0o077) !== 0) await chmod(path, FILE_MODE);
}

const FORMAT = 1;

function format(file: KeptFile): unknown {
  if (file.state === 'expired') return {format: FORMAT, ...file};
  const {pilot, ...others} = file;
  // The session stands in the pilot too. The text is kept as text, so that nothing in it is lost.
  const withoutSession = applyMergePatch(pilot, encodeJsonText('{"session":""}'));
  return {format: FORMAT, ...others, pilot: new TextDecoder().decode(withoutSession)};
}

function parse(text: string): KeptFile {
  const value = parseJson(text);
  const {format: found, state, scriptURL, sinceMs, session, pilot, backEnd, expiresAtMs, problem} = value;
  const isCommon = found === FORMAT && isAddress(scriptURL) && isTime(sinceMs);
  if (isCommon && state === 'expired') return {state, scriptURL, sinceMs, problem: readProblem(problem)};
  const isWhole =
    state === 'signed-in' &&
    isPilot(pilot) &&
    isBackEnd(backEnd) &&
    (session === undefined || typeof session === 'string') &&
    (expiresAtMs === undefined || isTime(expiresAtMs));
  if (!isCommon || !isWhole) throw new Error('it is not as this version writes it');
  const secret = session === undefined ? {} : {session};
  return {state, scriptURL, sinceMs, pilot: encodeJsonText(pilot), backEnd, expiresAtMs, ...secret};
}

/** A failure of another version says less than none. */
function readProblem(value: unknown): Failure | undefined {
  const document = typeof value === 'object' && value !== null ? {...value} : {};
  return isSentFailure(document) ? document : undefined;
}

function parseJson(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return {...value};
  } catch {
    // The parser would repeat a piece of it, which may be secret.
  }
  throw new Error('it is not JSON');
}

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const reading = readScriptUrl(value);
  return 'scriptURL' in reading && reading.scriptURL === value;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= TIME_MAX_MS;
}

/** Whether it is the text of an object: what is in it was seen to before it was written. */
function isPilot(value: unknown): value is string {
  return typeof value === 'string' && value.trimStart().startsWith('{');
}

function isBackEnd(value: unknown): value is SessionRecord['backEnd'] {
  if (typeof value !== 'object' || value === null || !('apiVersion' in value)) return false;
  return typeof value.apiVersion === 'string' && (!('name' in value) || typeof value.name === 'string');
}
