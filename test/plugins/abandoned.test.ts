import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';
import {describe, expect, test} from 'vitest';
import {isRunning} from '../support/background.ts';
import {makeTemporaryDirectory} from '../support/service.ts';

const BUILT = pathToFileURL(join(import.meta.dirname, '..', '..', 'dist', 'plugins', 'background')).href;

/** A program that starts the backgrounds in the given folders, and prints what they log. The word "end" ends it, and "stop" stops them. */
const SERVICE = `
  const {Background} = await import('${BUILT}/background.js');
  const {Secrets} = await import('${BUILT}/log/secrets.js');
  const backgrounds = process.argv.slice(1).map(directory => new Background({
    id: 'com.example.test',
    directory,
    file: directory + '/index.js',
    storagePath: directory,
    identity: {json: Buffer.from('{}'), summary: ''},
    servicePort: 7172,
    serviceHosts: ['localhost'],
    token: '',
    environment: process.env,
    secrets: new Secrets(),
    onLog: ({text}) => console.log(text),
    nowMs: Date.now,
    timers: {after: (delayMs, run) => { const timer = setTimeout(run, delayMs); return () => clearTimeout(timer); }},
  }));
  process.stdin.once('data', word => {
    if (String(word) === 'end\\n') process.exit();
    for (const background of backgrounds) background.stop();
  });
`;

const BACKGROUNDS = [
  `console.log(process.pid); exports.routes = {};`,
  `console.log(process.pid); for (;;);`,
  `console.log(process.pid); exports.onStart = () => { for (;;); };`,
  `console.log(require('node:child_process').spawn('sleep', ['1000'], {stdio: 'inherit'}).pid);`,
];

describe('a service that is gone', () => {
  const ways = [
    {name: 'by SIGKILL', end: (pid: number) => process.kill(pid, 'SIGKILL')},
    {name: 'by a crash', end: (pid: number) => process.kill(pid, 'SIGSEGV')},
    {name: 'by its own end', end: (_: number, write: () => void) => write()},
  ];
  for (const {name, end} of ways) {
    test(`${name} leaves no background, not even one that never returns, and no process of one`, async () => {
      await using folder = await makeTemporaryDirectory();
      const directories = BACKGROUNDS.map((_, at) => join(folder.path, `plugin-${at}`));
      for (const [at, source] of BACKGROUNDS.entries()) {
        await mkdir(directories[at] ?? '');
        await writeFile(join(directories[at] ?? '', 'index.js'), source);
      }
      const service = startService(directories);
      const pids: number[] = [];
      for await (const line of createInterface({input: service.stdout})) {
        pids.push(Number(line));
        if (pids.length === BACKGROUNDS.length) break;
      }
      assert.deepEqual(
        await Promise.all(pids.map(isRunning)),
        pids.map(() => true),
      );
      end(service.pid ?? 0, () => service.stdin.write('end\n'));
      await expect.poll(async () => (await Promise.all(pids.map(isRunning))).includes(true)).toBe(false);
    });
  }
});

describe('a service that has stopped', () => {
  /** It leaves the group of the background, and holds every pipe of it. */
  const RUNAWAY = `
    const stdio = ['ignore', 'inherit', 'inherit', 3, 4];
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 1e6)'], {stdio, detached: true});
    child.once('spawn', () => console.log(child.pid));`;

  test('ends, even if a process that left the group of a background holds its pipes', async () => {
    await using folder = await makeTemporaryDirectory();
    await writeFile(join(folder.path, 'index.js'), RUNAWAY);
    const service = startService([folder.path]);
    const exited = once(service, 'exit');
    const [line] = (await once(createInterface({input: service.stdout}), 'line')) as [string];
    try {
      service.stdin.end('stop\n');
      expect(await exited).toEqual([0, null]);
    } finally {
      process.kill(Number(line), 'SIGKILL');
      service.kill('SIGKILL');
    }
  });
});

/** Starts a service with the backgrounds in some folders. */
function startService(directories: readonly string[]) {
  return spawn(process.execPath, ['--input-type=module', '-e', SERVICE, ...directories], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
