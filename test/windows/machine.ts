import {type ChildProcess, spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import {mkdir, open, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {afterAll, inject, onTestFinished} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {followProgress, listPrograms} from './progress.ts';
import {type Windows, wineEnvironment} from './set-up.ts';

/** Longest wait for an answer of a service that may not serve yet, in milliseconds. */
const ANSWER_TIMEOUT_MS = 5000;

/** Interval in which something is looked for that no event announces, in milliseconds. */
const INTERVAL_MS = 100;

/** The result of a program. */
export interface Finished {
  /** Null if it was killed, as one that hangs is. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Variables of Windows. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** A program that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Returns its output so far. */
  said(): string;
}

/** A service that serves. */
export interface Service extends Running {
  readonly port: number;
  readonly url: string;
  /** Ends its process at once, and waits for that. */
  kill(): Promise<void>;
}

/** A program in a terminal, whose text is its standard output. */
export interface InTerminal extends Running {
  /** Presses keys. */
  type(keys: string): void;
}

/** A user of Windows, with a home directory whose name has a space and an umlaut. */
export interface WindowsUser {
  readonly windows: Windows;
  /** The words of Windows that run `crewroom`. */
  readonly crewroom: readonly string[];
  /** The environment of its programs. */
  readonly environment: NodeJS.ProcessEnv;
  /** The home directory, for Windows. */
  readonly home: string;
  /** Returns the path on Linux of a file in the home directory. */
  file(...names: readonly string[]): string;
  /** Runs `crewroom` to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Starts `crewroom`. */
  spawn(args: readonly string[], options?: RunOptions): Promise<Running>;
  /** Runs any program of Windows to its end. */
  runProgram(words: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Starts any program of Windows. */
  spawnProgram(words: readonly string[], options?: RunOptions): Promise<Running>;
  /** Starts a program of Windows in a terminal. */
  spawnInTerminal(words: readonly string[]): InTerminal;
  /** Starts `crewroom start` with a store on disk in the home directory, on a port of its own, and waits until it serves. */
  start(args?: readonly string[], options?: RunOptions & {readonly port?: number}): Promise<Service>;
}

/** Makes a user. Programs that still run are killed after the tests of the file. */
export async function createUser(): Promise<WindowsUser> {
  const windows = inject('windows');
  const name = `Käse Salat ${randomBytes(3).toString('hex')}`;
  const home = `C:\\users\\${name}`;
  const folder = join(windows.prefix, 'drive_c', 'users', name);
  for (const path of ['AppData/Local', 'AppData/Roaming', 'temp']) await mkdir(join(folder, path), {recursive: true});
  homes.add(home);
  const {begin, beginInTerminal, environment} = createLauncher({windows, home, folder});
  const crewroom = [windows.node, onDriveZ(join(windows.app, 'node_modules', 'crewroom', 'dist', 'cli', 'main.js'))];
  const user: WindowsUser = {
    windows,
    crewroom,
    environment,
    home,
    file: (...names) => join(folder, ...names),
    run: (args, options = {}) => user.runProgram([...crewroom, ...args], options),
    runProgram: async (words, options = {}) => {
      const {child, finished} = await begin(words, options);
      using _ = followProgress(variablesOfUsers, () => child.kill('SIGKILL'));
      return await finished;
    },
    spawn: (args, options = {}) => begin([...crewroom, ...args], options),
    spawnProgram: (words, options = {}) => begin(words, options),
    spawnInTerminal: words => beginInTerminal(words),
    start: async (args = [], {port: given, ...options} = {}) => {
      const port = given ?? (await findFreePort());
      const running = await user.spawn(['start', '--port', String(port), ...args], options);
      const url = `http://127.0.0.1:${port}`;
      await untilServing(url, running);
      const kill = async (): Promise<void> => {
        running.child.kill('SIGKILL');
        await running.finished;
      };
      return {...running, port, url, kill};
    },
  };
  return user;
}

/** Home directories of the users of this file. */
const homes = new Set<string>();

/** Returns the variables that the programs of these users have. */
function variablesOfUsers(): readonly string[] {
  return Array.from(homes, home => `WINDOWS_USERPROFILE=${home}`);
}

interface LauncherDeps {
  readonly windows: Windows;
  readonly home: string;
  readonly folder: string;
}

/** Starts programs of Windows in a home directory, and kills them after the tests of the file. */
function createLauncher({windows, home, folder}: LauncherDeps) {
  const children = new Set<ChildProcess>();
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const environmentOf = ({variables}: RunOptions): NodeJS.ProcessEnv => ({
    ...wineEnvironment(windows),
    NODE_OPTIONS: `--require=${onDriveZ(join(windows.programs, 'wine-node.cjs'))}`,
    WINDOWS_USERPROFILE: home,
    WINDOWS_LOCALAPPDATA: `${home}\\AppData\\Local`,
    WINDOWS_APPDATA: `${home}\\AppData\\Roaming`,
    WINDOWS_TEMP: `${home}\\temp`,
    ...Object.fromEntries(Object.entries(variables ?? {}).map(([key, value]) => [`WINDOWS_${key}`, value])),
  });
  const newFile = (): string => join(windows.work, randomBytes(6).toString('hex'));
  const begin = async (words: readonly string[], options: RunOptions): Promise<Running> => {
    // Node under Wine cannot write to pipes of Linux, only to files and terminals.
    const base = newFile();
    await writeFile(`${base}.in`, options.input ?? '');
    const files = [await open(`${base}.in`), await open(`${base}.out`, 'w'), await open(`${base}.err`, 'w')];
    const stdio = files.map(({fd}) => fd);
    const child = spawn('wine', words, {cwd: folder, env: environmentOf(options), stdio});
    for (const file of files) await file.close();
    return follow(child, {children, read: kind => readFileSync(`${base}.${kind}`, 'utf8')});
  };
  const beginInTerminal = (words: readonly string[]): InTerminal => {
    const file = newFile();
    const line = ['exec', 'wine', ...words].map(quote).join(' ');
    const child = spawn('script', ['-qefc', line, file], {
      cwd: folder,
      env: {...environmentOf({}), TERM: 'xterm'},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const read = (kind: string): string => (kind === 'out' && existsSync(file) ? readFileSync(file, 'utf8') : '');
    return {...follow(child, {children, read}), type: keys => void child.stdin?.write(keys)};
  };
  return {begin, beginInTerminal, environment: environmentOf({})};
}

/** Returns the path of a file of Linux for Windows. */
export function onDriveZ(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

/** Waits until something holds. @throws If the programs of the users hang; `describe` says more. */
export async function until(holds: () => boolean | Promise<boolean>, describe: () => string): Promise<void> {
  let problem: string | undefined;
  using _ = followProgress(variablesOfUsers, reason => {
    problem = reason;
  });
  while (!(await holds())) {
    if (problem !== undefined) throw new Error(`It did not come, ${problem}: ${describe()}`);
    await pause(INTERVAL_MS);
  }
}

/** Waits until a service serves. @throws If its process ends before. */
export async function untilServing(url: string, {child, said}: Running): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${said()}`);
    return isReady(url);
  }, said);
}

/**
 * Tells whether a service answers that it is ready. Wine accepts a connection that comes while a program begins to listen, and sometimes
 * never tells the program of it; the next one is answered.
 */
export async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, {signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS)}).then(
    ({ok}) => ok,
    () => false,
  );
}

/** Returns the command lines of the programs that run in a Windows. */
export function runningPrograms({prefix}: Windows): readonly string[] {
  return listPrograms(`WINEPREFIX=${prefix}`).map(({commandLine}) => commandLine);
}

/**
 * Watches for consoles with a window, until the test ends. Wine starts a `conhost.exe` for the console of a program, with `--headless` if it has no
 * window. @returns The command lines of those with one, so far.
 */
export function watchWindows(windows: Windows): () => readonly string[] {
  const shown = new Set<string>();
  const look = (): void => {
    for (const line of runningPrograms(windows))
      if (/\bconhost\.exe\b/i.test(line) && !line.includes('--headless')) shown.add(line);
  };
  const timer = setInterval(look, INTERVAL_MS);
  onTestFinished(() => clearInterval(timer));
  return () => [...shown];
}

interface FollowDeps {
  readonly children: Set<ChildProcess>;
  readonly read: (kind: 'out' | 'err') => string;
}

function follow(child: ChildProcess, {children, read}: FollowDeps): Running {
  children.add(child);
  const finished = once(child, 'exit').then(([exitCode]): Finished => {
    children.delete(child);
    return {exitCode: exitCode as number | null, stdout: read('out'), stderr: read('err')};
  });
  return {child, finished, said: () => read('out') + read('err')};
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
