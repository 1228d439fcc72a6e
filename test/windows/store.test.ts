import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {createUser, runningPrograms} from './machine.ts';

const user = await createUser();

interface Listed {
  readonly key: string;
  readonly revision: string;
}

async function listEntries(url: string): Promise<readonly Listed[]> {
  const page = (await (await fetch(`${url}/api/keys?limit=1000`)).json()) as {readonly entries: readonly Listed[]};
  return page.entries;
}

test('a store on disk has what was acknowledged after each of three kills, and its lock does not stand in the way', async () => {
  const written = new Map<string, string>();
  for (const round of [1, 2, 3]) {
    const {url, kill} = await user.start();
    const puts = Array.from({length: 50}, async (_, index) => {
      const key = `round-${round}/${index}`;
      const {status, headers} = await fetch(`${url}/api/store/${encodeURIComponent(key)}`, {
        method: 'PUT',
        body: `{"ä":${round}}`,
      });
      expect(status).toBe(201);
      written.set(key, /-(\d+)"$/.exec(headers.get('etag') ?? '')?.[1] ?? '');
    });
    await Promise.all(puts);
    await kill();
    const again = await user.start();
    expect(new Map((await listEntries(again.url)).map(({key, revision}) => [key, revision]))).toEqual(written);
    expect(await (await fetch(`${again.url}/api/store/round-${round}%2F7`)).text()).toBe(`{"ä":${round}}`);
    await again.kill();
  }
});

test('a second service is told which process has the store', async () => {
  const service = await user.start();
  const {exitCode, stderr} = await user.run(['start', '--port', '0']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/process \d+/);
  await service.kill();
});

test('a store on a network drive is tried by another process first, and one on a disk is not', async () => {
  // Where Wine has the folders of other machines.
  await mkdir(join(user.windows.prefix, 'dosdevices', 'unc', 'server', 'share'), {recursive: true});
  const tried = new Set<string>();
  const look = () =>
    runningPrograms(user.windows)
      .filter(line => line.includes('opening-trial-process'))
      .map(line => tried.add(line));
  const timer = setInterval(look, 50);
  onTestFinished(() => clearInterval(timer));
  await (await user.start()).kill();
  expect([...tried]).toEqual([]);
  await (await user.start(['--data-dir', '\\\\server\\share\\data'])).kill();
  expect([...tried].join('\n')).toMatch(/server.*share.*data.*store/);
});

test('the doctor says who may read the data', async () => {
  const {stdout, stderr} = await user.run(['doctor']);
  expect(stdout, stderr).toMatch(/^ok +Data +in your profile, which Windows keeps from other users$/m);
});

test('entries come from files with drive letters, spaces and umlauts, written in UTF-16 or with CRLF, and go to such files', async () => {
  await writeFile(user.file('ä b.json'), '{\r\n"a":1}');
  await writeFile(user.file('u.json'), Buffer.from('\ufeff{"u":"ö"}\r\n', 'utf16le'));
  const service = await user.start();
  const address = ['--port', String(service.port)];
  for (const [key, path] of [
    ['CON', `@${user.home}\\ä b.json`],
    ['Key', '@u.json'],
    ['key', '@.\\u.json'],
  ] as const)
    expect(await user.run(['put', key, path, ...address])).toMatchObject({exitCode: 0});
  expect((await user.run(['get', 'CON', ...address])).stdout).toBe('{\r\n"a":1}');
  const {stdout} = await user.run(['list', '--json', ...address]);
  expect([...stdout.matchAll(/"key":"([^"]+)"/g)].slice(0, 4).map(([, key]) => key)).toEqual([
    'CON',
    'Key',
    'key',
    'round-1/0',
  ]);
  expect(await user.run(['export', `${user.home}\\aus fuhr.ndjson`, '--prefix', 'K', ...address])).toMatchObject({
    exitCode: 0,
  });
  expect(await user.run(['import', 'aus fuhr.ndjson', ...address])).toMatchObject({exitCode: 0});
  await service.kill();
});
