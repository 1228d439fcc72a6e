import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {createClient} from 'crewroom/client';
import {ENTRIES, keyOf, valueText} from './workloads.ts';

/** A server in a process of its own. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly processId: number;
  stop(): Promise<void>;
}

/** The platform's limit: `node:http` that reads and answers the same, and writes and syncs the same bytes to a file. */
export async function startBare(): Promise<Target> {
  return startProcess('bare node:http', [...process.execArgv, path('./bare-server.ts')]);
}

/** Crewroom as it is installed, with the entries of the workloads in it. */
export async function startCrewroom(): Promise<Target> {
  const target = await startProcess('crewroom', [path('./crewroom-server.js')]);
  const {entries} = createClient({baseUrl: target.url});
  for (let n = 0; n < ENTRIES; n++) await entries.put(keyOf(n), valueText(n));
  return target;
}

/** Crewroom with so many entries under `bench/0000000` and on, and how long it took to open them, in milliseconds. */
export async function startFilled(entries: number): Promise<Target & {readonly openMs: number}> {
  const directory = await makeDirectory();
  // Filled by one process and opened by another, so that nothing is warm but the disk.
  await once(spawn(process.execPath, [path('./fill.js'), directory, String(entries)], {stdio: 'inherit'}), 'exit');
  const {openMs, ...target} = await startIn(directory, 'crewroom', [path('./crewroom-server.js')]);
  return {...target, openMs: Number(openMs)};
}

async function startProcess(name: string, args: readonly string[]): Promise<Target> {
  return startIn(await makeDirectory(), name, args);
}

function makeDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'crewroom-bench-'));
}

/** Starts a server in a directory; its first line is its address, and how long it took to open where it says so. */
async function startIn(
  directory: string,
  name: string,
  args: readonly string[],
): Promise<Target & {readonly openMs?: string}> {
  const server = spawn(process.execPath, [...args, directory], {stdio: ['ignore', 'pipe', 'inherit']});
  const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
  const [url = '', openMs = ''] = line.split(' ');
  return {name, url, processId: server.pid ?? 0, openMs, stop: () => stopProcess(server, directory)};
}

async function stopProcess(server: ChildProcess, directory: string): Promise<void> {
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  await exited;
  await rm(directory, {recursive: true, force: true});
}

function path(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
