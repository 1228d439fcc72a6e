import {existsSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {describe, expect, test} from 'vitest';
import {createMachine, plain, type Running} from './crewroom.ts';

const machine = await createMachine();
/** So that the test depends on no service that runs on this machine. */
const environment = {DISPLAY: '', WAYLAND_DISPLAY: ''};

interface Started {
  readonly url: string;
  readonly open: string;
}

async function startedOf(running: Running): Promise<Started> {
  await running.until(({stderr}) => stderr.includes('"message":"started"'));
  const line =
    running
      .said()
      .stderr.split('\n')
      .find(each => each.includes('"message":"started"')) ?? '{}';
  const {urls, open} = JSON.parse(line) as {readonly urls: readonly string[]; readonly open: string};
  return {url: urls[0] ?? '', open};
}

async function read(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

async function end(running: Running): Promise<number | null> {
  running.child.kill('SIGINT');
  return (await running.finished).exitCode;
}

describe('crewroom play', () => {
  test('runs the example with entries, a pilot who is signed in and a flight at 60 times, in memory', async () => {
    const running = machine.spawn(['play'], {environment});
    const {url, open} = await startedOf(running);
    expect(open).toBe(`http://crewroom.localhost:${new URL(url).port}/#/play`);
    const {plugins} = (await read(`${url}/api/plugins`)) as {readonly plugins: readonly object[]};
    expect(plugins).toMatchObject([{id: 'com.example.logbook', state: 'running', hasPage: true, warnings: []}]);
    expect(await read(`${url}/api/flight`)).toMatchObject({flight: {speed: 60}});
    expect(await read(`${url}/readyz`)).toMatchObject({identity: {source: 'back-end', signedIn: true}});
    expect(await read(`${url}/api/keys`)).toMatchObject({entries: expect.arrayContaining([expect.anything()])});
    expect(await read(`${url}/api`)).toMatchObject({storeKind: 'memory'});
    expect(await read(`${url}/api/com.example.logbook/flights`)).toEqual([]);
    expect(await end(running)).toBe(0);
    expect(existsSync(`${machine.home}/.local/share/crewroom`)).toBe(false);
  });

  test('two beside each other have ports of their own, share nothing, and each names its address', async () => {
    const one = machine.spawn(['play'], {environment});
    const first = await startedOf(one);
    const other = machine.spawn(['play'], {environment});
    const second = await startedOf(other);
    expect(first.url).not.toBe(second.url);
    expect(first.open).not.toBe(second.open);
    await fetch(`${first.url}/api/store/mine`, {method: 'POST', body: '1'});
    expect((await fetch(`${second.url}/api/store/mine`)).status).toBe(404);
    expect(await Promise.all([one, other].map(end))).toEqual([0, 0]);
  });

  test('on a terminal names its address and the first steps, and no code', async () => {
    const running = machine.spawnOnTerminal(['play', '--no-open'], {environment});
    await running.until(({stdout}) => stdout.includes('Press h for help'));
    const text = plain(running.said().stdout);
    expect(text).toMatch(/Open +http:\/\/crewroom\.localhost:\d+\/#\/play\n/);
    expect(text).toMatch(/Flight +EDDF to LPMA, 60 times as fast\n/);
    expect(text).not.toContain('#code=');
    running.child.stdin.write('q');
    expect((await running.finished).exitCode).toBe(0);
  });

  test('leaves nothing behind', async () => {
    expect((await readdir(machine.home)).filter(name => !name.startsWith('.'))).toEqual([]);
  });
});
