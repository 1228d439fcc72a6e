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

/** Starts a server that gets a directory of its own and prints its address as its first line. */
async function startProcess(name: string, args: readonly string[]): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-bench-'));
  const server = spawn(process.execPath, [...args, directory], {stdio: ['ignore', 'pipe', 'inherit']});
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
  return {name, url, stop: () => stopProcess(server, directory)};
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
