import {isUtf8} from 'node:buffer';
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {readFile, realpath, rmdir} from 'node:fs/promises';
import {basename, delimiter, dirname, isAbsolute, join, sep} from 'node:path';
import {UNSEEN} from '../../core/domain/unseen.ts';
import {AppError, codeOf, messageOf} from '../../core/failures/app-error.ts';
import {ignoreMissing, removeDurably} from '../../core/files/directory.ts';
import {windowsProgram} from '../../platform/system/windows-programs.ts';
import {refusedUsage} from '../failures/report.ts';
import type {CliContext} from '../terminal/context.ts';

/** Lets the system of one platform start the service when its user logs in. */
export interface Autostart {
  /** Place where the system finds it, such as the path of a unit. */
  readonly place: string;
  /** Advice for the user once it is installed. */
  readonly note: string;
  /**
   * Returns what is installed; undefined if nothing is.
   *
   * @throws {AppError} `invalid-usage` if another program wrote what is there.
   */
  installed(): Promise<Installed | undefined>;
  /**
   * Installs it, and starts the service; again with the new program if it is installed. If that fails, what was there is back, and runs.
   *
   * @throws {AppError} `service-manager-failed`; `invalid-usage` if it cannot start this program.
   */
  install(program: InstalledProgram): Promise<void>;
  /** Returns the words of the system for an installed service. */
  status(): Promise<{readonly active: string; readonly enabled: string}>;
  /** Returns the last lines of the log. */
  logs(lines: number): Promise<string>;
  /** Stops the service, and removes everything that was installed. */
  uninstall(): Promise<void>;
}

/** State of a start at log-on that the user has switched off in the settings of the system. */
export const SWITCHED_OFF = 'switched off by the user';

/** An installed start at log-on. */
export interface Installed {
  /** Place where the system finds it. */
  readonly place: string;
  /** True if a package of the system brought it, not "crewroom service install". */
  readonly isPackaged?: boolean;
  /** The program that it names; undefined if it was changed so that none is found in it. */
  readonly program: InstalledProgram | undefined;
}

/** Returns the path of a program that an installed start at log-on names, and that is gone; undefined if all is there. */
export function findGone({program}: Installed): string | undefined {
  return program && [program.node, program.script].find(path => !existsSync(path));
}

/** Comment in a file that "crewroom service install" wrote. Files without it are left alone. */
export const OWN_MARK = 'Written by "crewroom service install", and removed by "crewroom service uninstall".';

/** Time that the service has to end before it is killed, in seconds: seven seconds with plugins, and some more on a busy machine. */
export const STOP_TIMEOUT_SECONDS = 30;

/** Reads a file that "crewroom service install" wrote, if there is one. @throws {AppError} `invalid-usage` if another program wrote it. */
export async function readOwnText(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(ignoreMissing);
  if (text === undefined || text.includes(OWN_MARK)) return text;
  throw refusedUsage('service', `${JSON.stringify(file)} was written by another program`, 'Remove that file first');
}

/** Removes a file, and the directories that were created for it, as far as they are empty. @param created The first of these, as `mkdir` returned it. */
export async function removeWithFolders(file: string, created: string | undefined): Promise<void> {
  await removeDurably(file);
  for (let folder = dirname(file); created !== undefined && folder.length >= created.length; folder = dirname(folder))
    await rmdir(folder).catch(() => {});
}

/** Returns the last lines of a log file; none if there is no file yet. */
export async function readLastLines(file: string, lines: number): Promise<string> {
  const all = ((await readFile(file, 'utf8').catch(ignoreMissing)) ?? '').split(/(?<=\n)/);
  return all.slice(-lines).join('');
}

/** The program that the system starts. */
export interface InstalledProgram {
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of the command line. */
  readonly script: string;
}

/**
 * Returns the program that runs now, by its real paths; Node by a link to it that stays through updates, if there is one.
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
  if (problem !== undefined) throw refusedProgram(problem);
  const isUsable = (link: string): boolean => findPathProblem({node: link, script}, temporaryDir) === undefined;
  return {node: (await findStableLink(node, context.environment['PATH'] ?? '', isUsable)) ?? node, script};
}

/** Finds the first usable link in the folders of `PATH` that leads to a Node in a folder of its version, and stays when Node is updated. */
export async function findStableLink(
  node: string,
  path: string,
  isUsable: (link: string) => boolean,
): Promise<string | undefined> {
  if (!isVersioned(node)) return undefined;
  const links = path.split(delimiter).map(folder => join(folder, basename(node)));
  const targets = await Promise.all(links.map(link => realpath(link).catch(() => undefined)));
  return links.find((link, index) => targets[index] === node && !isVersioned(link) && isUsable(link));
}

/** Returns the part of a program that an update of Node removes, as managers of versions do with its folder: Node, or a script that npm installed there. */
export function findVersioned({node, script}: InstalledProgram): string | undefined {
  return [node, script].find(isVersioned);
}

function isVersioned(path: string): boolean {
  return /[/\\]v?\d+\.\d+[^/\\]*[/\\]/.test(path);
}

/** Creates the failure for a program that the system cannot start later. */
export function refusedProgram(problem: string): Error {
  return refusedUsage(
    'service',
    problem,
    'Install or unpack Crewroom in another folder that stays, and run this there',
  );
}

const UNSEEN_IN_PATH = new RegExp(`[${UNSEEN}]`);

/** Directories that an operating system or its user empties. */
const TEMPORARY_DIRS = ['/tmp', '/private/tmp', '/var/tmp', '/private/var/tmp', '/dev/shm', '/run'];

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
    if (path.split(sep).includes('fnm_multishells')) return `${JSON.stringify(path)} is a link of fnm for one shell`;
    const isTemporary = [...TEMPORARY_DIRS, temporaryDir].some(each => path.startsWith(each + sep));
    if (isTemporary) return `${JSON.stringify(path)} is in a directory for temporary files`;
  }
  return undefined;
}

/** Result of a program that ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a program of the system to its end.
 *
 * @throws {AppError} `service-manager-failed` if it cannot be started; `invalid-usage` if this system does not have it.
 */
export function runSystemProgram(
  program: string,
  args: readonly string[],
  context: Pick<CliContext, 'environment'>,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = {...context.environment};
    const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe'], env, windowsHide: true});
    child.once('error', error => {
      if (codeOf(error) === 'ENOENT') reject(withoutManager(program));
      else reject(managerFailed(program, {exitCode: null, errors: messageOf(error)}));
    });
    let output = '';
    const errors: Buffer[] = [];
    // The pipes are missing without file descriptors.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
    child.once('close', exitCode => {
      resolve(decodeErrors(Buffer.concat(errors), program, context).then(text => ({exitCode, output, errors: text})));
    });
  });
}

/** Encodings of code pages of consoles, by their names in the Encoding Standard. It has none for those of western letters, such as 437 and 850. */
const ENCODINGS: Readonly<Record<string, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1250: 'windows-1250',
  1251: 'windows-1251',
  1252: 'windows-1252',
  1254: 'windows-1254',
};

/** Decodes what a program wrote: in UTF-8, or, as those of Windows do, in the code page of its console. Of an unknown one only ASCII is read. */
async function decodeErrors(bytes: Buffer, program: string, context: Pick<CliContext, 'environment'>): Promise<string> {
  const pages = windowsProgram('chcp.com', context.environment);
  if (isUtf8(bytes) || program === pages) return bytes.toString();
  const asked = await runSystemProgram(pages, [], context).catch(() => undefined);
  const encoding = ENCODINGS[/\d+/.exec(asked?.output ?? '')?.[0] ?? ''];
  return encoding === undefined
    ? bytes.toString('latin1').replace(/[^\0-\x7f]/g, '\ufffd')
    : new TextDecoder(encoding).decode(bytes);
}

/** Runs a program of the system as {@link runSystemProgram} does. @returns Its output. @throws {AppError} `service-manager-failed` also if it fails. */
export async function runManager(
  program: string,
  args: readonly string[],
  context: Pick<CliContext, 'environment'>,
): Promise<string> {
  const ended = await runSystemProgram(program, args, context);
  if (ended.exitCode !== 0) throw managerFailed([program, ...args].join(' '), ended);
  return ended.output;
}

/** Creates the failure of a command of the service manager. Its first line has the reason. */
export function managerFailed(command: string, {exitCode, errors}: Omit<Ended, 'output'>): AppError {
  const [line = ''] = errors
    .replace(/^crewroom: /, '')
    .trim()
    .split('\n');
  const reason = line.trim() || `it ended with exit code ${exitCode}`;
  // The words of systemd and D-Bus name variables and sockets, and not what is missing.
  const problem = /\bbus\b|DBUS_|XDG_RUNTIME/i.test(reason) ? 'this session has no service manager' : reason;
  return new AppError({code: 'service-manager-failed', command, problem});
}

/** Creates the failure on a system without the program that starts services. */
export function withoutManager(program: string): Error {
  const problem = program.startsWith('systemctl') ? 'this system has no systemd' : `this system has no ${program}`;
  return refusedUsage('service', problem, 'Start it with "crewroom start --detached"');
}
