import {realpath} from 'node:fs/promises';
import {isAbsolute, sep} from 'node:path';
import {UNSEEN} from '../../domain/unseen.ts';
import {refusedUsage} from '../failures/usage.ts';
import type {CliContext} from '../terminal/context.ts';

/** The program that the system starts. */
export interface InstalledProgram {
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of the command line. */
  readonly script: string;
}

/**
 * Returns the program that runs now, by its real paths.
 *
 * @throws {AppError} `invalid-usage` if it may be gone at the next start of the machine.
 */
export async function findProgram(context: CliContext): Promise<InstalledProgram> {
  const [node, script, temporaryDir] = await Promise.all([
    realpath(context.program.node),
    realpath(context.program.script),
    realpath(context.temporaryDir).catch(() => context.temporaryDir),
  ]);
  const problem = findPathProblem({node, script}, temporaryDir);
  if (problem === undefined) return {node, script};
  throw refusedProgram(problem);
}

/** Creates the failure for a program that the system cannot start later. */
export function refusedProgram(problem: string): Error {
  return refusedUsage(
    'service',
    problem,
    'Install or unpack Crewroom in another folder that stays, and run this from there',
  );
}

const UNSEEN_IN_PATH = new RegExp(`[${UNSEEN}]`);

/** Directories that an operating system or its user empties. */
const TEMPORARY_DIRS = ['/tmp', '/private/tmp', '/var/tmp', '/dev/shm', '/run'];

/**
 * Returns the reason why the system may not find a program at the next start of the machine; undefined if there is none.
 *
 * @param temporaryDir The directory for temporary files of this user.
 */
export function findPathProblem({node, script}: InstalledProgram, temporaryDir: string): string | undefined {
  for (const path of [script, node]) {
    if (!isAbsolute(path)) return `${JSON.stringify(path)} is not an absolute path`;
    if (UNSEEN_IN_PATH.test(path)) return `${JSON.stringify(path)} contains a control character`;
    if (path.split(sep).includes('_npx')) return `${JSON.stringify(path)} is in the cache of npx, which npm empties`;
    const isTemporary = [...TEMPORARY_DIRS, temporaryDir].some(each => path.startsWith(each + sep));
    if (isTemporary) return `${JSON.stringify(path)} is in a directory for temporary files`;
  }
  return undefined;
}
