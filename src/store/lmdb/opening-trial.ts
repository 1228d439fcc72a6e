import {type ChildProcess, type ForkOptions, fork} from 'node:child_process';
import {realpath, statfs} from 'node:fs/promises';
import {sep} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {messageOf} from '../../core/failures/app-error.ts';
import {abandon} from '../../platform/system/exit-limit.ts';
import {assertCanOpen, type EnvironmentOptions, OpeningError, readProc} from './opening-limits.ts';

/**
 * Types of file systems (statfs) on whose disks record locks and shared maps are known to work. Sources: linux/magic.h, and
 * the modules of those that are not part of Linux.
 */
const KNOWN_FILE_SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, ReadonlySet<number>>>> = {
  linux: new Set([
    0xef53, // ext2, ext3, ext4
    0x58465342, // xfs
    0x9123683e, // btrfs
    0x01021994, // tmpfs
    0x858458f6, // ramfs
    0x794c7630, // overlayfs
    0xf2f52010, // f2fs
    0x2fc12fc1, // zfs
    0xca451a4e, // bcachefs
  ]),
  // APFS. Its number is not documented; Node reports this one.
  darwin: new Set([26]),
};

/** Longest duration of a trial, in milliseconds: it takes a tenth of a second. */
const TRIAL_MS_MAX = 10_000;

/** Number of attempts to open files that another program holds, and the time between them, in milliseconds: together two seconds. */
const HELD_ATTEMPTS_MAX = 10;
const HELD_DELAY_MS = 200;

const PROGRAM = fileURLToPath(new URL('opening-trial-process.js', import.meta.url));

export interface TrialOptions extends EnvironmentOptions {
  /** Options of the engine, for another process. */
  readonly engine: object;
  /** @default {process.platform} */
  readonly platform?: NodeJS.Platform | undefined;
}

/**
 * Throws if the engine cannot open its files. Where the file system is not known to allow it, another process opens them first: the
 * failure may end it.
 *
 * @throws {OpeningError}
 */
export async function assertOpens({platform = process.platform, engine, ...files}: TrialOptions): Promise<void> {
  await waitForHolder(files, platform);
  const {name, isKnown} = await judgePlace(files.directory, platform);
  if (isKnown && !hasPreload()) return;
  const problem = await runTrial(engine);
  if (problem === undefined) return;
  const who = `its file system (${name})${isKnown ? ', or the library that LD_PRELOAD names,' : ''}`;
  throw new OpeningError(
    `${who} does not allow the record locks and shared maps that a store needs: a process that tried ${problem}; ` +
      'use a directory on a disk of this machine',
  );
}

/** Returns whether the engine can be asked to open files in a directory without a trial. */
export async function needsNoTrial(directory: string): Promise<boolean> {
  return (await judgePlace(directory, process.platform)).isKnown && !hasPreload();
}

/** Windows tells no type. A path on another machine begins with two backslashes; that of a drive that stands for one, once it is resolved. */
const NETWORK_PATH = /^\\\\(?![?.]\\|\?)|^\\\\\?\\UNC\\/i;

async function judgePlace(directory: string, platform: NodeJS.Platform): Promise<{name: string; isKnown: boolean}> {
  if (platform === 'win32') {
    // It fails on disks that some programs provide, such as one in memory.
    const path = await realpath(directory).catch(() => directory);
    return {name: 'network drive', isKnown: ![directory, path].some(each => NETWORK_PATH.test(each))};
  }
  const path = await realpath(directory);
  // Some systems give the number with a sign.
  const type = (await statfs(path)).type >>> 0;
  const name = findFileSystem(path) ?? `type 0x${type.toString(16)}`;
  return {name, isKnown: KNOWN_FILE_SYSTEMS[platform]?.has(type) === true};
}

/** Waits a moment for another program, such as a backup, which holds a file. */
async function waitForHolder(files: EnvironmentOptions, platform: NodeJS.Platform): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return assertCanOpen(files, platform);
    } catch (error) {
      if (attempt === HELD_ATTEMPTS_MAX || !(error instanceof OpeningError && error.isHeld)) throw error;
    }
    await setTimeout(HELD_DELAY_MS);
  }
}

/** A preloaded library can refuse what the file system allows. */
function hasPreload(): boolean {
  return readProc('self/environ')
    .split('\0')
    .some(each => /^LD_PRELOAD=./.test(each));
}

/** Opens the files in another process. @returns How that failed. */
async function runTrial(engine: object): Promise<string | undefined> {
  // Unlike `spawn`, it starts Node in Electron too.
  const child = fork(PROGRAM, [JSON.stringify(engine)], {
    execArgv: [],
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  } as ForkOptions);
  const timeout = new AbortController();
  const late = setTimeout(TRIAL_MS_MAX, `did not end within ${TRIAL_MS_MAX / 1000} seconds`, {signal: timeout.signal});
  try {
    return await Promise.race([findProblem(child), late]);
  } finally {
    timeout.abort();
    late.catch(() => {});
    child.kill('SIGKILL');
    abandon(child);
  }
}

function findProblem(child: ChildProcess): Promise<string | undefined> {
  return new Promise(resolve => {
    let message = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      message = (message + text).slice(0, 1000);
    });
    child.once('error', error => resolve(`could not be started (${messageOf(error)})`));
    child.once('close', (code, signal) => {
      if (signal !== null) resolve(`was ended by ${signal}`);
      else resolve(code === 0 ? undefined : `failed (${message.trim() || `exit code ${code}`})`);
    });
  });
}

/** Returns the name of a file system, such as `nfs4` or `fuse.sshfs`; undefined where Linux does not tell. */
function findFileSystem(path: string): string | undefined {
  let found = {place: '', name: undefined as string | undefined};
  // proc_pid_mountinfo(5): the place is the fifth field, and the name stands behind the hyphen. Later lines cover earlier ones.
  for (const [, escaped = '', name] of readProc('self/mountinfo').matchAll(/^(?:\S+ ){4}(\S+) .*? - (\S+) /gm)) {
    const place = escaped.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    const isAbove = path === place || path.startsWith(place.endsWith(sep) ? place : place + sep);
    if (isAbove && place.length >= found.place.length) found = {place, name};
  }
  return found.name;
}
