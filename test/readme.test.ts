import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const main = join(root, 'dist', 'cli', 'main.js');

/** The commands of the tour, one for each line of its code blocks, without those that install and start. */
const tour = readme.slice(readme.indexOf('## A tour'), readme.indexOf('## In CI'));
const commands = Array.from(tour.matchAll(/^```sh\n([\s\S]*?)^```$/gm), match => match[1] ?? '')
  .flatMap(block => block.trim().split('\n'))
  .filter(command => !/^npm (ci|start)/.test(command));

/** What each command prints, by a part of it that shows that it worked; in the order of the tour. */
const SHOWN = [
  '"airlineName":"Crewroom Air"',
  '{}',
  '{"volume": 1.0, "id": 9007199254740993}',
  '"value":{"volume": 1.0, "id": 9007199254740993}',
  '"code":"revision-conflict"',
  '{}',
  '{"revision":"3"}',
  '{}',
  '"volume": 0.5',
  '',
  '"dark"',
  'com.example.hello/theme',
  '',
  '',
  'sample',
  'Node',
  '',
];

describe('the tour of the README', () => {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-readme-'));
  let service: ChildProcess;
  let port: number;

  beforeAll(async () => {
    service = start();
    port = await readPort(service);
  });
  afterAll(async () => {
    await stop(service);
    rmSync(directory, {recursive: true, force: true});
  });

  test('has as many commands as are checked here', () => {
    expect(commands).toHaveLength(SHOWN.length);
  });

  for (const [index, command] of commands.entries()) {
    test(command, () => {
      const {status, stdout, stderr} = run(command);
      expect(stdout).toContain(SHOWN[index]);
      expect(status, stderr).toBe(0);
    });
  }

  test('npm start -- --profile me.json serves what was printed', async () => {
    const printed = readFileSync(join(directory, 'me.json'), 'utf8');
    await stop(service);
    service = start('--profile', 'me.json');
    port = await readPort(service);
    expect(JSON.parse(run('curl -s http://localhost:7172/api/identity').stdout)).toEqual(JSON.parse(printed));
  });

  /** Runs a command of the tour: the port is another one, and `npx crewroom` is what was built. */
  function run(command: string): {status: number | null; stdout: string; stderr: string} {
    const adapted = command
      .replaceAll('localhost:7172', `localhost:${port}`)
      .replace('npx crewroom', `"${process.execPath}" "${main}"`);
    return spawnSync('sh', ['-c', adapted], {
      cwd: directory,
      encoding: 'utf8',
      env: environment({CREWROOM_PORT: String(port)}),
    });
  }

  function start(...args: string[]): ChildProcess {
    return spawn(process.execPath, [main, 'start', ...args], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environment({CREWROOM_PORT: '0'}),
    });
  }

  function environment(more: Record<string, string>): NodeJS.ProcessEnv {
    return {...process.env, CREWROOM_DATA_DIR: join(directory, 'data'), XDG_CONFIG_HOME: directory, ...more};
  }
});

/** Reads the log of a service until it says where it listens. */
async function readPort(service: ChildProcess): Promise<number> {
  for await (const line of createInterface(service.stderr as NodeJS.ReadableStream)) {
    const {message, ...about} = JSON.parse(line) as {message: string; urls?: readonly string[]};
    if (message === 'started') return Number(new URL(about.urls?.[0] ?? '').port);
  }
  throw new Error('the service did not start');
}

async function stop(service: ChildProcess): Promise<void> {
  const exited = once(service, 'exit');
  service.kill('SIGTERM');
  await exited;
}
