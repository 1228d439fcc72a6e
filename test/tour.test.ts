import {type ChildProcess, type SpawnSyncOptionsWithStringEncoding, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {findFreePort} from './support/free-port.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs', 'guides', 'tour.md'), 'utf8');
const main = join(root, 'dist', 'cli', 'main.js');

/** The commands of the tour, one for each line of its code blocks, without installation and start. */
const commands = readCommands('## Ask and store', '## Sign in');

/** The commands of the tour of the example of a back end, without its start. */
const walk = readCommands('## Sign in', '## Run a plugin');

/** The commands of the example of a plugin. */
const pluginCommands = readCommands('## Run a plugin', '## In CI');

/** The expected part of each command's output, in the order of the tour. */
const SHOWN = [
  '"airlineName":"Crewroom Air"',
  '{}',
  '{"volume": 1.0, "id": 9007199254740993}',
  '"value":{"volume": 1.0, "id": 9007199254740993}',
  '"code":"revision-conflict"',
  '{}',
  '"revision":"3"}',
  '{}',
  '"volume": 0.5',
  '',
  '"dark"',
  'com.example.hello/theme',
  '',
  '',
  'sample',
  'Node',
  'long-names',
  '',
  '',
  '',
];

describe('the tour', () => {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-tour-'));
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

  test('npm start -- --profile me.json serves the printed identity', async () => {
    const printed = readFileSync(join(directory, 'me.json'), 'utf8');
    await stop(service);
    service = start('--profile', 'me.json');
    port = await readPort(service);
    expect(JSON.parse(run('curl -s http://localhost:7172/api/identity').stdout)).toEqual(JSON.parse(printed));
  });

  function run(command: string): Ran {
    return runIn(directory, port, command);
  }

  function start(...args: string[]): ChildProcess {
    return startIn(directory, ...args);
  }
});

describe('the tour of the example of a back end', () => {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-walk-'));
  let backEnd: ChildProcess;
  let backEndPort: string;
  let service: ChildProcess;
  let port: number;

  beforeAll(async () => {
    const airline = readFileSync(join(root, 'examples', 'back-end', 'airline.json'), 'utf8');
    backEndPort = await startBackEnd('0');
    writeFileSync(join(directory, 'airline.json'), airline.replaceAll('8080', backEndPort));
    await startService();
  });
  afterAll(async () => {
    await stop(service);
    await stop(backEnd);
    rmSync(directory, {recursive: true, force: true});
  });

  test('shows the identity of the signed-in pilot, as stale while the back end is down, and as fresh again', async () => {
    expect(walk).toHaveLength(7);
    expect(next('node examples')).toBe('node examples/back-end/main.js');
    expect(run('crewroom sign-in', 'cabin crew\n')).toContain('Signed in as Ada Quill (CRW0042), Crewroom Air');
    expect(run('/api/identity')).toContain('"pilotID":"CRW0042"');
    await stop(backEnd);
    await stop(service);
    await startService();
    await expect.poll(() => runIn(directory, port, walk[0] ?? '').stdout).toContain('"stale":true');
    expect(run('/api/session')).toContain('no server listens');
    expect(run('crewroom status')).toContain('stale');
    await startBackEnd(backEndPort);
    const status = next('crewroom status');
    // It retries after a second at first, then with backoff.
    await expect.poll(() => runIn(directory, port, status).stdout).not.toContain('stale');
    expect(runIn(directory, port, status).stdout).toContain('Ada Quill (CRW0042), Crewroom Air (signed in)');
    expect(run('crewroom sign-out')).toContain('Signed out');
    expect(walk).toEqual([]);
  });

  /** Returns the next command of the tour. */
  function next(what: string): string {
    expect(walk[0]).toContain(what);
    return walk.shift() ?? '';
  }

  function run(what: string, input = ''): string {
    const {status, stdout, stderr} = runIn(directory, port, next(what), input);
    expect(status, stderr).toBe(0);
    return stdout;
  }

  async function startBackEnd(at: string): Promise<string> {
    const example = join(root, 'examples', 'back-end', 'main.js');
    backEnd = spawn(process.execPath, [example, at], {stdio: ['ignore', 'pipe', 'inherit']});
    const [line] = (await once(createInterface(backEnd.stdout as NodeJS.ReadableStream), 'line')) as [string];
    return new URL(/http:\S+/.exec(line)?.[0] ?? '').port;
  }

  async function startService(): Promise<void> {
    service = startIn(directory, '--airline', 'airline.json');
    port = await readPort(service);
  }
});

describe('the tour of the example of a plugin', () => {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-plugin-'));
  let service: ChildProcess;
  let port: number;

  beforeAll(async () => {
    // A clone may be writable by the group of its user, which is refused.
    cpSync(join(root, 'examples', 'plugin'), join(directory, 'plugin'), {recursive: true});
    spawnSync('chmod', ['-R', 'go-w', directory]);
    service = startIn(directory, '--plugin', 'plugin');
    port = await readPort(service);
  });
  afterAll(async () => {
    await stop(service);
    rmSync(directory, {recursive: true, force: true});
  });

  const shown = [
    '[{"pilot":"CRW0042","from":"EDDF","to":"LPMA"}]',
    '[{"pilot":"CRW0042","from":"EDDF","to":"LPMA"}]',
    'com.example.logbook',
    'keeping the logbook of CRW0042',
    'error store-busy --path /api/store/* --probability 0.3 --seed ',
    '',
  ];
  test('has a plugin that runs, and as many commands as are checked here', async () => {
    const status = 'curl -s http://localhost:7172/api/plugins/com.example.logbook';
    await expect.poll(() => runIn(directory, port, status).stdout, {timeout: 30_000}).toContain('"running"');
    expect(pluginCommands).toHaveLength(shown.length);
  });

  for (const [index, command] of pluginCommands.entries()) {
    test(command, () => {
      const {status, stdout, stderr} = runIn(directory, port, command);
      expect(stdout).toContain(shown[index]);
      expect(status, stderr).toBe(0);
    });
  }
});

test('the lines for CI run tests with a service, start, wait and stop, and leave no process behind', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-ci-'));
  mkdirSync(join(directory, 'node_modules', '.bin'), {recursive: true});
  symlinkSync(main, join(directory, 'node_modules', '.bin', 'crewroom'));
  const ask = `fetch(process.env.CREWROOM_URL + '/readyz').then(each => each.text()).then(console.log)`;
  writeFileSync(join(directory, 'package.json'), JSON.stringify({scripts: {test: `node -e "${ask}"`}}));
  // Ends at the first command that fails.
  // For the npx that started the service, and ends a moment after it.
  const lines = ['set -e', ...readCommands('## In CI', '## Back up and restore'), 'wait'].join('\n');
  // In a process group of its own, with a time limit: a service left behind keeps the output open.
  const {pid, status, stdout, stderr} = spawnSync('sh', ['-c', lines], {
    cwd: directory,
    encoding: 'utf8',
    env: environment(directory, {CREWROOM_PORT: String(await findFreePort())}),
    detached: true,
    timeout: 30_000,
  } as SpawnSyncOptionsWithStringEncoding);
  const leftBehind = endGroup(pid);
  rmSync(directory, {recursive: true, force: true});
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('"ready":true');
  expect(leftBehind).toBe(false);
});

test('the lines for backups export, import, copy, and save and load a snapshot', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-backup-'));
  const [service, other] = [startIn(directory), startIn(directory, '--data-dir', 'other')];
  try {
    const [port, otherPort] = [await readPort(service), await readPort(other)];
    const run = (command: string): Ran =>
      runIn(directory, port, command.replace('localhost:8000', `localhost:${otherPort}`));
    run(`npx crewroom put a '1.0'`);
    const lines = readCommands('## Back up and restore');
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      const {status, stderr} = run(line);
      expect([line, status], stderr).toEqual([line, 0]);
    }
    expect(readFileSync(join(directory, 'backup.ndjson'), 'utf8')).toContain('"value":1.0');
    expect(runIn(directory, otherPort, 'npx crewroom get a').stdout).toContain('1.0');
  } finally {
    await Promise.all([stop(service), stop(other)]);
    rmSync(directory, {recursive: true, force: true});
  }
});

/** Kills the rest of a process group. @returns Whether there was any process. */
function endGroup(processId: number): boolean {
  try {
    return process.kill(-processId, 'SIGKILL');
  } catch {
    return false;
  }
}

/** Result of a command. */
interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the page with another port, and with the built program as `npx crewroom`. */
function runIn(directory: string, port: number, command: string, input = ''): Ran {
  const adapted = command
    .replaceAll('localhost:7172', `localhost:${port}`)
    .replace('npx crewroom', `"${process.execPath}" "${main}"`);
  return spawnSync('sh', ['-c', adapted], {
    cwd: directory,
    encoding: 'utf8',
    input,
    env: environment(directory, {CREWROOM_PORT: String(port)}),
  });
}

function startIn(directory: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [main, 'start', ...args], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment(directory, {CREWROOM_PORT: '0'}),
  });
}

function environment(directory: string, more: Record<string, string>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CREWROOM_DATA_DIR: join(directory, 'data'),
    XDG_CONFIG_HOME: directory,
    // Without the keychain of the user who runs the tests.
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
    ...more,
  };
}

/** Returns the commands between two headings, or after the last one, one for each line of the code blocks, without installation and start. */
function readCommands(from: string, to?: string): string[] {
  const text = page.slice(page.indexOf(from), to === undefined ? page.length : page.indexOf(to));
  return Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```$/gm), match => match[1] ?? '')
    .flatMap(block => block.trim().split('\n'))
    .filter(command => !/^npm (ci|start)/.test(command));
}

/** Reads the log of a service until the line with its address. */
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
