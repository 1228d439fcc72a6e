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
const pluginCommands = readCommands('## Run a plugin', '## Land a flight');

/** The expected part of each command's output, in the order of the tour. */
const SHOWN = [
  '"airlineName":"Crewroom Air"',
  '{}',
  '{"volume": 1.0, "id": 9007199254740993}',
  '"value":{"volume": 1.0, "id": 9007199254740993}',
  '"code":"revision-conflict"',
  '{"revision":"2","etag":',
  '{"revision":"3","etag":',
  '{"revision":"4","etag":',
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

/** Directory of the reader, from the first command to the last: all parts share its data. */
const directory = mkdtempSync(join(tmpdir(), 'crewroom-tour-'));
afterAll(() => rmSync(directory, {recursive: true, force: true}));

describe('the tour', () => {
  let service: ChildProcess;
  let port: number;

  beforeAll(async () => {
    service = start();
    port = await readPort(service);
  });
  afterAll(() => stop(service));

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
    return runIn(port, command);
  }
});

describe('the tour of the example of a back end', () => {
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
  });

  test('shows the identity of the signed-in pilot, as stale while the back end is down, and as fresh again', async () => {
    expect(walk).toHaveLength(7);
    expect(next('node examples')).toBe('node examples/back-end/main.js');
    expect(run('crewroom sign-in', 'cabin crew\n')).toContain('Signed in as Ada Quill (CRW0042), Crewroom Air');
    expect(run('/api/identity')).toContain('"pilotID":"CRW0042"');
    await stop(backEnd);
    await stop(service);
    await startService();
    await expect.poll(() => runIn(port, walk[0] ?? '').stdout).toContain('"stale":true');
    expect(run('/api/session')).toContain('no server listens');
    expect(run('crewroom status')).toContain('stale');
    await startBackEnd(backEndPort);
    const status = next('crewroom status');
    // It retries after a second at first, then with backoff.
    await expect.poll(() => runIn(port, status).stdout).not.toContain('stale');
    expect(runIn(port, status).stdout).toContain('Ada Quill (CRW0042), Crewroom Air (signed in)');
    expect(run('crewroom sign-out')).toContain('Signed out');
    expect(walk).toEqual([]);
  });

  /** Returns the next command of the tour. */
  function next(what: string): string {
    expect(walk[0]).toContain(what);
    return walk.shift() ?? '';
  }

  function run(what: string, input = ''): string {
    const {status, stdout, stderr} = runIn(port, next(what), input);
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
    service = start('--airline', 'airline.json');
    port = await readPort(service);
  }
});

describe('the tour of the example of a plugin, which goes on to CI and to backups', () => {
  let service: ChildProcess;
  let port: number;

  beforeAll(async () => {
    // A clone may be writable by the group of its user, which is refused.
    cpSync(join(root, 'examples', 'plugin'), join(directory, 'examples', 'plugin'), {recursive: true});
    spawnSync('chmod', ['-R', 'go-w', directory]);
    mkdirSync(join(directory, 'node_modules', '.bin'), {recursive: true});
    symlinkSync(main, join(directory, 'node_modules', '.bin', 'crewroom'));
    service = start('--dev-plugin', 'examples/plugin');
    port = await readPort(service);
  });
  afterAll(() => stop(service));

  const shown = [
    '[{"pilot":"CRW0042","from":"EDDF","to":"LPMA"}]',
    '[{"pilot":"CRW0042","from":"EDDF","to":"LPMA"}]',
    'com.example.logbook',
    'keeping the logbook of CRW0042',
    'error busy --path /api/store/*',
    '',
  ];
  test('has a plugin that runs, and as many commands as are checked here', async () => {
    const status = 'curl -s http://localhost:7172/api/plugins/com.example.logbook';
    await expect.poll(() => runIn(port, status).stdout, {timeout: 30_000}).toContain('"running"');
    expect(pluginCommands).toHaveLength(shown.length);
  });

  for (const [index, command] of pluginCommands.entries()) {
    test(command, () => {
      const {status, stdout, stderr} = runIn(port, command);
      expect(stdout).toContain(shown[index]);
      expect(status, stderr).toBe(0);
    });
  }

  test('lands a flight, and shows its landing rate and load factor', async () => {
    const [begin = '', jump = '', status = '', ...rest] = readCommands('## Land a flight', '## In CI');
    expect(runIn(port, begin).stdout).toContain('BOARDING · 364 ft');
    expect(runIn(port, jump).stdout).toMatch(/APPROACH · [\d,]+ ft · (?!.*landed)/);
    await expect
      .poll(() => runIn(port, status).stdout, {timeout: 60_000})
      .toMatch(/ · landed at about -180 ft\/min, 1\.[3-4]\d? g · 60x/);
    expect(rest).toEqual([]);
  });

  test('has lines for CI, which end what they start, and leave the service of the reader alone', async () => {
    const other = String(await findFreePort());
    const commands = readCommands('## In CI', '## Back up and restore');
    expect(commands).toHaveLength(4);
    // Ends at the first command that fails; the last line is for the npx that started the service, and ends a moment after it.
    const lines = ['set -e', ...commands, 'wait'].join('\n').replaceAll('8001', other);
    // In a process group of its own, with a time limit: a service left behind keeps the output open.
    const {pid, status, stdout, stderr} = spawnSync('sh', ['-c', lines], {
      cwd: directory,
      encoding: 'utf8',
      env: environment({CREWROOM_PORT: String(port)}),
      detached: true,
      timeout: 60_000,
    } as SpawnSyncOptionsWithStringEncoding);
    const leftBehind = endGroup(pid);
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('keeps the flights of the pilot');
    expect(leftBehind).toBe(false);
    expect(runIn(port, 'npx crewroom status').stdout).toContain('runs');
  });

  test('has lines for backups, which export, import, save and load a snapshot, and copy', async () => {
    const lines = readCommands('## Back up and restore');
    expect(lines).toHaveLength(7);
    const at = lines.findIndex(line => line.startsWith('npx crewroom start'));
    expect(lines[at]).toBe('npx crewroom start --ephemeral --port 8000');
    const other = start('--ephemeral');
    try {
      const otherPort = await readPort(other);
      for (const line of lines.toSpliced(at, 1)) {
        const {status, stderr} = runIn(port, line.replace('8000', String(otherPort)));
        expect([line, status], stderr).toEqual([line, 0]);
      }
      expect(runIn(otherPort, 'npx crewroom list').stdout).toContain('com.example.hello');
    } finally {
      await stop(other);
    }
    expect(readFileSync(join(directory, 'backup.ndjson'), 'utf8')).toContain('"key":"com.example.hello/settings"');
    expect(runIn(port, 'npx crewroom status').stdout).toContain('runs');
  });
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
function runIn(port: number, command: string, input = ''): Ran {
  const adapted = command
    .replaceAll('localhost:7172', `localhost:${port}`)
    .replace('npx crewroom', `"${process.execPath}" "${main}"`);
  return spawnSync('sh', ['-c', adapted], {
    cwd: directory,
    encoding: 'utf8',
    input,
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
  if (service.exitCode !== null) return;
  const exited = once(service, 'exit');
  service.kill('SIGTERM');
  await exited;
}
