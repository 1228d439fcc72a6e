import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, mkdtemp, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Result of a command. */
export interface Ran {
  readonly exitCode: number;
  /** Both streams, in the order in which they arrived. */
  readonly output: string;
}

/** A directory of a new user, in which the commands of a guide run one after the other, as in one terminal. */
export interface Project extends AsyncDisposable {
  readonly home: string;
  /** Directory of the terminal. */
  directory(): string;
  /** Runs a line to its end. A directory that it changes to stays. */
  run(line: string): Promise<Ran>;
  /** Starts a line that does not end by itself. @returns A function that ends it, with all its processes. */
  start(line: string): {readonly output: () => string; readonly stop: () => Promise<void>};
}

/**
 * Creates a directory with `npx crewroom` of this clone.
 *
 * @param port Port of the service in all commands.
 */
export async function createProject(port: number): Promise<Project> {
  const project = await createEmptyProject(port);
  const bin = join(project.home, 'node_modules', '.bin');
  await mkdir(bin, {recursive: true});
  await symlink(join(ROOT, 'dist', 'cli', 'main.js'), join(bin, 'crewroom'));
  return project;
}

/** Creates a directory with nothing that is of Crewroom. @param port Port of the service in all commands. @default {that of the commands} */
export async function createEmptyProject(port?: number): Promise<Project> {
  const home = await mkdtemp(join(tmpdir(), 'crewroom-guide-'));
  await writeFile(join(home, 'package.json'), '{"private": true}');
  return new HomeProject(home, port);
}

/** Names another port for the dev server of a new plugin. */
export async function usePort(project: Project, uiPort: number): Promise<void> {
  for (const file of ['vite.config.mts', 'package.json']) {
    const path = join(project.directory(), file);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('5173', String(uiPort)));
  }
}

class HomeProject implements Project {
  readonly home: string;
  readonly #port: number | undefined;
  #directory: string;
  readonly #stops = new Set<() => Promise<void>>();

  constructor(home: string, port: number | undefined) {
    this.home = home;
    this.#directory = home;
    this.#port = port;
  }

  directory(): string {
    return this.#directory;
  }

  async run(line: string): Promise<Ran> {
    const {child, output} = this.#spawn(`${line}\npwd > "${this.home}/.directory"`);
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    this.#directory = resolve((await readFile(join(this.home, '.directory'), 'utf8')).trim());
    return {exitCode: exitCode ?? -1, output: output()};
  }

  start(line: string): ReturnType<Project['start']> {
    const {child, output} = this.#spawn(line);
    const exited = once(child, 'exit');
    const stop = async (): Promise<void> => {
      this.#stops.delete(stop);
      // Ctrl+C reaches all processes of a terminal.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
      await exited;
    };
    this.#stops.add(stop);
    return {output, stop};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) await stop();
    await rm(this.home, {recursive: true, force: true});
  }

  #spawn(line: string): {readonly child: ChildProcess; readonly output: () => string} {
    const child = spawn('sh', ['-ec', line], {
      cwd: this.#directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, which ends as a whole.
      detached: true,
      env: {
        ...process.env,
        HOME: this.home,
        XDG_CONFIG_HOME: join(this.home, 'config'),
        CREWROOM_DATA_DIR: join(this.home, 'data'),
        CREWROOM_PORT: this.#port?.toString(),
        npm_config_cache: process.env['npm_config_cache'] ?? join(process.env['HOME'] ?? this.home, '.npm'),
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        npm_config_prefer_offline: 'true',
        // The runner of these tests is not that of the plugin.
        NODE_ENV: '',
        VITEST: '',
        NO_COLOR: '1',
        FORCE_COLOR: undefined,
      },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
    return {child, output: () => text};
  }
}
