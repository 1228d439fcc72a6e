import {chmod, lstat} from 'node:fs/promises';
import {join} from 'node:path';
import * as v from 'valibot';
import {codeOf} from '../../../../core/failures/app-error.ts';
import {type AnyFailure, isSentFailure} from '../../../../core/failures/failure.ts';
import {makeDirectory, removeDurably, replaceFile} from '../../../../core/files/directory.ts';
import {findOwnProblem, PRIVATE_FILE_MODE} from '../../../../core/files/own.ts';
import {describeFileError, FileError, readRegularFile} from '../../../../core/files/text-file.ts';
import {encodeJsonText, type JsonText} from '../../../../core/json/json-text.ts';
import {applyMergePatch} from '../../../../core/json/merge-patch.ts';
import {type BackEndPilot, readExpirySeconds} from '../../backend/pilot.ts';
import type {BackEndProbe} from '../../backend/pilot-answer.ts';
import {readScriptUrl} from '../../backend/script-url.ts';

/** The name of the file in a data directory that keeps a session. */
export const SESSION_FILE = 'session.json';

/** A session that is over. */
export interface ExpiredFile {
  readonly state: 'expired';
  readonly scriptURL: string;
  readonly sinceMs: number;
  /** The cause, if it is known. */
  readonly problem?: AnyFailure | undefined;
}

/** Content of the file. It contains the session itself only if there is no keychain. */
export type KeptFile =
  | ExpiredFile
  | (Omit<SessionRecord, 'session'> & {readonly state: 'signed-in'; readonly session?: string});

/** Largest file, in bytes: it contains a pilot as a JSON string, and an answer of a back end has at most 1 MiB. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads the file of a data directory.
 *
 * @returns Undefined if there is no file.
 * @throws The error of the system; an `Error` for a file of another user, and for a file that this module did not write.
 */
export async function readSessionFile(directory: string): Promise<KeptFile | undefined> {
  const path = join(directory, SESSION_FILE);
  try {
    await protect(path);
    return parse((await readRegularFile(path, FILE_BYTES_MAX)).toString());
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof FileError) throw new Error(`it ${describeFileError(error, FILE_BYTES_MAX)}`, {cause: error});
    throw error;
  }
}

/** Writes the file durably and atomically. */
export async function writeSessionFile(directory: string, file: KeptFile): Promise<void> {
  const path = join(directory, SESSION_FILE);
  const text = `${JSON.stringify(format(file))}\n`;
  await makeDirectory(directory);
  await replaceFile(path, handle => handle.writeFile(text), {mode: PRIVATE_FILE_MODE, temporary: unfinished(path)});
}

/** Removes the file durably. Idempotent. */
export async function removeSessionFile(directory: string): Promise<void> {
  const path = join(directory, SESSION_FILE);
  // Also what a process left that was killed: it may contain the session.
  await removeDurably(unfinished(path));
  await removeDurably(path);
}

/** Returns the path of the file until it is complete: a fixed one, so that a leftover is found. */
function unfinished(path: string): string {
  return `${path}.new`;
}

/** Refuses a file of another user, which could contain the session of that user. */
async function protect(path: string): Promise<void> {
  const status = await lstat(path);
  if (!status.isFile()) throw new Error('it is not a regular file');
  const problem = findOwnProblem(status, {forbidden: 'reading'});
  if (problem?.owner !== undefined) throw new Error(`it belongs to user ${problem.owner}`);
  if (problem !== undefined) await chmod(path, PRIVATE_FILE_MODE);
}

const FORMAT = 1;

/** Latest time that RFC 3339 can write, which has four digits for the year, in milliseconds since the Unix epoch. */
const TIME_MAX_MS = Date.UTC(9999, 11, 31);

const TIME = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(TIME_MAX_MS));
const COMMON = {format: v.literal(FORMAT), scriptURL: v.pipe(v.string(), v.check(isAddress)), sinceMs: TIME};
const KEPT_FILE = v.variant('state', [
  v.object({...COMMON, state: v.literal('expired'), problem: v.optional(v.unknown())}),
  v.object({
    ...{...COMMON, state: v.literal('signed-in'), session: v.exactOptional(v.string()), expiresAtMs: v.optional(TIME)},
    // The text of an object, whose members were checked before it was written.
    pilot: v.pipe(v.string(), v.regex(/^\s*\{/)),
    backEnd: v.object({apiVersion: v.string(), name: v.optional(v.string())}),
  }),
]);

function isAddress(text: string): boolean {
  const reading = readScriptUrl(text);
  return 'scriptURL' in reading && reading.scriptURL === text;
}

function format(file: KeptFile): unknown {
  if (file.state === 'expired') return {format: FORMAT, ...file};
  const {pilot, ...others} = file;
  // The pilot contains the session, too. Its text is kept as a string, so unknown members and long numbers survive.
  const withoutSession = applyMergePatch(pilot, encodeJsonText('{"session":""}'));
  return {format: FORMAT, ...others, pilot: new TextDecoder().decode(withoutSession)};
}

function parse(text: string): KeptFile {
  const {success, output} = v.safeParse(KEPT_FILE, parseJson(text));
  if (!success) throw new Error('it does not have the format of this version');
  const {format: _, ...file} = output;
  if (file.state === 'signed-in') return {...file, pilot: encodeJsonText(file.pilot)};
  // Failures that this version does not know are left out.
  const problem = Object(file.problem);
  return {...file, problem: isSentFailure(problem) ? problem : undefined};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the message of the parser, which quotes the text and may contain a secret.
    throw new Error('it is not JSON');
  }
}

/** A session at the back end of an airline, and the pilot that the back end returned with it. */
export interface SessionRecord {
  readonly scriptURL: string;
  readonly session: string;
  /** The account of the pilot, exactly as it was received. */
  readonly pilot: JsonText;
  readonly backEnd: BackEndProbe;
  /** Time of the sign-in, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** End of the session, in milliseconds since the Unix epoch; undefined if that is unknown. */
  readonly expiresAtMs?: number | undefined;
}

/** Returns the record with the session and the pilot of an answer that was just received. */
export function withPilot(
  {scriptURL, backEnd, sinceMs}: Pick<SessionRecord, 'scriptURL' | 'backEnd' | 'sinceMs'>,
  pilot: BackEndPilot,
  nowMs: number,
): SessionRecord {
  const {session, json} = pilot;
  return {scriptURL, backEnd, sinceMs, session, pilot: json, expiresAtMs: readEnd(pilot, nowMs)};
}

/** Returns a session's end. A time in the past is ignored too: a new session is valid, so the clock must be wrong. */
function readEnd(pilot: BackEndPilot, nowMs: number): number | undefined {
  const seconds = readExpirySeconds(pilot);
  if (seconds === undefined) return undefined;
  const expiresAtMs = Math.floor(seconds * 1000);
  return expiresAtMs > nowMs && expiresAtMs <= TIME_MAX_MS ? expiresAtMs : undefined;
}
