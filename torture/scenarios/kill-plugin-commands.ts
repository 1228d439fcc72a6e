import {cp, mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {callsOn, killPointsOf, readCalls, tracedPaths} from '../call-trace.ts';
import {LossError} from '../loss-error.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {runCommand, startService} from '../service-process.ts';
import {findMissingTracer, type KillPoint, ONE_DISK_THREAD, type TraceOptions, traceFromStart} from '../strace.ts';

/** All calls that change names, or make what was written durable. */
const CALLS = [
  ...['openat', 'open', 'mkdir', 'mkdirat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'rmdir'],
  ...['write', 'pwrite64', 'chmod', 'fchmod', 'fsync', 'fdatasync'],
];

const ID = 'com.example.torture';
const [OLD, NEW] = ['1.0.0', '1.1.0'] as const;

/** Lines of the background, so that half a file is seen. */
const LINES = 2000;

/** D8: a kill at any system call by which the command changes the directory of plugins. */
export const KILL_PLUGIN_COMMANDS: Scenario = {
  id: 'D8',
  name: 'Killed at each system call with which it updates a plugin, a command leaves the old version or the new one',
  rounds: {quick: 4, standard: 150},
  findMissing: findMissingTracer,
  run: async context => {
    const {random, rounds, directory, report, count} = context;
    const commands = new PluginCommands(context);
    for (const version of [OLD, NEW]) await writePlugin(join(directory, version), version);
    await commands.install(OLD);
    await cp(commands.plugins, join(directory, 'base'), {recursive: true});
    report('recording the system calls of an update');
    const output = join(directory, 'trace');
    await commands.install(NEW, {calls: CALLS, output});
    const calls = callsOn(commands.plugins, readCalls(await readFile(output, 'utf8')));
    const paths = tracedPaths(commands.plugins, calls);
    const points = killPointsOf(calls);
    count('kill points found', points.length);
    let hits = 0;
    for (let round = 1; round <= rounds; round++) {
      const killAt = points[random.integer(0, points.length - 1)] as KillPoint;
      const by = random.chance(0.5) ? 'the next start' : 'the next command';
      report(`${round} of ${rounds}: ${killAt.call} ${killAt.count}, then ${by}`);
      await rm(commands.plugins, {recursive: true});
      await cp(join(directory, 'base'), commands.plugins, {recursive: true});
      if (await commands.install(NEW, {calls: CALLS, paths, output, killAt})) hits++;
      const replaced = by === 'the next start' ? await commands.start() : await commands.installAgain();
      assertWhole(replaced, `${by} after ${killAt.call} ${killAt.count}`);
      await assertNothingLeft(commands.plugins);
    }
    count('kills', hits);
    if (hits < rounds / 2) throw new Error(`Only ${hits} of ${rounds} kills happened: the run proves nothing`);
  },
};

/** The commands and the service of one directory of plugins. */
class PluginCommands {
  readonly plugins: string;
  readonly #context: ScenarioContext;

  constructor(context: ScenarioContext) {
    this.#context = context;
    this.plugins = join(context.directory, 'plugins');
  }

  /** Installs a version. @returns Whether the command was killed. */
  async install(version: string, trace?: TraceOptions): Promise<boolean> {
    const under = trace === undefined ? [] : traceFromStart(trace);
    const {code, signal, stderr} = await this.#run(['install', join(this.#context.directory, version)], under);
    if (code !== 0 && signal !== 'SIGKILL') throw new Error(`The installation failed: ${stderr}`);
    return signal === 'SIGKILL';
  }

  /** Installs the new version. @returns The version that it replaced. */
  async installAgain(): Promise<string> {
    const {code, stdout, stderr} = await this.#run(['install', join(this.#context.directory, NEW), '--json']);
    if (code !== 0) throw new LossError(`the next command failed: ${stderr}`);
    return (JSON.parse(stdout) as {readonly replaced?: string}).replaced ?? 'none';
  }

  /** Starts the service. @returns The version that it serves, if all files are of this version. */
  async start(): Promise<string> {
    const {directory, signal} = this.#context;
    const args = ['--plugins-dir', this.plugins];
    const service = await startService({dataDir: join(directory, 'data'), args, signal});
    const plugins = (await (await fetch(`${service.url}/api/plugins`)).json()) as {readonly plugins: readonly Served[]};
    const found = plugins.plugins.find(({id}) => id === ID);
    await service.kill();
    const module = await readFile(join(this.plugins, ID, 'background', 'index.js'), 'utf8').catch(() => '');
    return module === moduleOf(found?.version ?? '') ? (found?.version ?? 'none') : `half of ${found?.version}`;
  }

  #run(words: readonly string[], under: readonly string[] = []): ReturnType<typeof runCommand> {
    const {directory, signal} = this.#context;
    // No service is at this port.
    const place = ['--plugins-dir', this.plugins, '--data-dir', join(directory, 'data'), '--port', '1'];
    const options = {environment: ONE_DISK_THREAD, under, signal};
    return runCommand(['plugin', ...words, '--yes', ...place], options);
  }
}

interface Served {
  readonly id: string;
  readonly version?: string;
}

async function writePlugin(folder: string, version: string): Promise<void> {
  await mkdir(join(folder, 'background'), {recursive: true, mode: 0o700});
  const manifest = {id: ID, name: 'Torture', version, type: 'user', description: '', availableSettings: {}};
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'background', 'index.js'), moduleOf(version));
}

function moduleOf(version: string): string {
  return `${`// ${version}\n`.repeat(LINES)}exports.routes = {};\n`;
}

function assertWhole(version: string, after: string): void {
  if (version !== OLD && version !== NEW) throw new LossError(`${after} has ${version}`);
}

async function assertNothingLeft(plugins: string): Promise<void> {
  const left = await readdir(join(plugins, '.staging'));
  if (left.join() !== 'lock') throw new LossError(`${left.join(', ')} were left`);
}
