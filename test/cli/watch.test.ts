import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {beforeEach, describe, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {useService} from '../support/service.ts';
import {createMachine, plain, type Running} from './crewroom.ts';

const MAIN = new URL('../../dist/cli/main.js', import.meta.url).pathname;

const machine = await createMachine();
const {home} = machine;
const service = useService({ephemeral: true});
beforeEach(() => fetch(`${service().url}/api/keys?prefix=&all=true`, {method: 'DELETE'}));

/** Writes, and answers the revision. */
async function put(key: string, body: string, {url, query = ''}: {url?: string; query?: string} = {}): Promise<string> {
  const path = `/api/store/${encodeURIComponent(key)}${query}`;
  const answer = await fetch((url ?? service().url) + path, {method: 'PUT', body});
  assert.ok(answer.ok);
  return (JSON.parse(answer.headers.get('etag') ?? '""') as string).split('-').at(-1) ?? '';
}

async function remove(key: string): Promise<void> {
  await fetch(`${service().url}/api/store/${encodeURIComponent(key)}`, {method: 'DELETE'});
}

function watch(...args: readonly string[]): Running {
  return machine.spawn(['watch', '--json', ...args], {environment: {CREWROOM_PORT: String(service().port)}});
}

/** Waits until a text was printed, then stops with Ctrl+C as a shell would. @returns All lines. */
async function linesUntil(text: string, running: Running): Promise<readonly string[]> {
  await running.until(({stdout}) => stdout.includes(text));
  running.child.kill('SIGINT');
  const {exitCode, signal, stdout} = await running.finished;
  assert.deepEqual([exitCode, signal], [130, null]);
  return stdout.trimEnd().split('\n');
}

describe('crewroom watch', () => {
  test('prints what changes as one JSON object per line, with values as they were written', async () => {
    const after = await put('before', '1');
    const running = watch('--after', after);
    const revisions = [
      await put('a/é', '{"id": 12345678901234567890,\n"v":\t1.0}'),
      await put('big', `"${'x'.repeat(70_000)}"`),
    ];
    await remove('a/é');
    await put('z', 'null');
    const lines = await linesUntil('"key":"z"', running);
    const {storeId} = service().crewroom;
    const [written, big, removed, last] = lines;
    assert.equal(
      written,
      `{"kind":"entry-written","key":"a/é","revision":"${revisions[0]}","etag":"\\"${storeId}-${revisions[0]}\\"","cursor":"${storeId}-${revisions[0]}","sizeBytes":38,"value":{"id": 12345678901234567890, "v":\t1.0}}`,
    );
    assert.equal(
      big,
      `{"kind":"entry-written","key":"big","revision":"${revisions[1]}","etag":"\\"${storeId}-${revisions[1]}\\"","cursor":"${storeId}-${revisions[1]}","sizeBytes":70002}`,
    );
    assert.match(
      removed ?? '',
      /^\{"kind":"entry-deleted","key":"a\/é","revision":"\d+","etag":"\\"[0-9a-z]+-\d+\\"","cursor":"[0-9a-z]+-\d+"\}$/,
    );
    assert.match(
      last ?? '',
      /^\{"kind":"entry-written","key":"z","revision":"\d+","etag":"\\"[0-9a-z]+-\d+\\"","cursor":"[0-9a-z]+-\d+","sizeBytes":4,"value":null\}$/,
    );
    assert.equal(lines.length, 4);
  });

  test('shows the entries that are there first, and only those under the prefix', async () => {
    await put('a/1', '1');
    await put('b/1', '1');
    await put('a/2', '1', {query: '?ttlSeconds=600'});
    const running = watch('a/', '--initial');
    await running.until(({stdout}) => stdout.includes('a/2'));
    await put('b/2', '2');
    await put('a/3', '2');
    const events = (await linesUntil('a/3', running)).map(line => JSON.parse(line));
    assert.deepEqual(
      events.map(({key, expiresAt}) => [key, typeof expiresAt]),
      [
        ['a/1', 'undefined'],
        ['a/2', 'string'],
        [undefined, 'undefined'],
        ['a/3', 'undefined'],
      ],
    );
  });

  test('prints text into a pipe, as on a terminal, without --json', async () => {
    const after = await put('before', '1');
    const running = machine.spawn(['watch', '--after', after, '--port', String(service().port)]);
    await put('piped', '[1.0]');
    const [line] = await linesUntil('piped', running);
    assert.match(line ?? '', /^\d\d:\d\d:\d\d {2}written {3}piped +\d+ {2}\[1\.0\]$/);
  });

  test('shows when an entry expires', async () => {
    const after = await put('before', '1');
    await put('short', '1', {query: '?ttlSeconds=1'});
    const lines = await linesUntil('entry-expired', watch('--after', after));
    assert.match(
      lines.at(-1) ?? '',
      /^\{"kind":"entry-expired","key":"short","revision":"\d+","etag":"\\"[0-9a-z]+-\d+\\"","cursor":"[0-9a-z]+-\d+"\}$/,
    );
  });

  test('continues at its cursor when the service restarts, and reports that', async () => {
    const dataDir = await mkdtemp(join(home, 'data-'));
    const port = String(await findFreePort());
    const first = await machine.start(['--data-dir', dataDir, '--port', port]);
    const running = machine.spawn(['watch', '--json', '--after', '0', '--port', port]);
    await put('a', '1', first);
    await running.until(({stdout}) => stdout.includes('"key":"a"'));
    await first.stop();
    await running.until(({stderr}) => stderr.includes('Connection lost'));
    const second = await machine.start(['--data-dir', dataDir, '--port', port]);
    await put('b', '1', second);
    await running.until(({stdout, stderr}) => stdout.includes('"key":"b"') && stderr.includes('Connected again'));
    await second.stop();
    running.child.kill('SIGINT');
    const {exitCode, stdout, stderr} = await running.finished;
    assert.equal(exitCode, 130);
    const keys = stdout
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as {key: string}).key);
    assert.deepEqual(keys, ['a', 'b'], 'nothing is missed, and nothing comes twice');
    assert.match(
      stderr,
      /^crewroom: Connection lost: .*; waiting until it is back\ncrewroom: Connected again\n(crewroom: Connection lost: .*\n)?$/,
    );
  });

  test('reports that it starts over if the service has another store', async () => {
    const port = String(await findFreePort());
    const first = await machine.start(['--ephemeral', '--port', port]);
    for (const key of ['a', 'b', 'c']) await put(key, '1', first);
    const running = machine.spawn(['watch', '--json', '--after', '0', '--port', port]);
    await running.until(({stdout}) => stdout.includes('"key":"c"'));
    await first.stop();
    const second = await machine.start(['--ephemeral', '--port', port]);
    await running.until(({stdout}) => stdout.includes('"kind":"reset"'));
    await put('new', '1', second);
    await linesUntil('"key":"new"', running);
    await second.stop();
  });

  test('refuses a revision above the last one, with exit code 2', async () => {
    const {exitCode, stdout, stderr} = await machine.run([
      'watch',
      '--after',
      '999999',
      '--port',
      String(service().port),
    ]);
    assert.deepEqual([exitCode, stdout], [2, '']);
    assert.match(stderr, /^crewroom: Cannot use the parameter "after": /);
  });

  test.runIf(process.platform === 'linux')('ends quietly where the reader has read enough', async () => {
    await put('a', '1');
    const environment = {...process.env, HOME: home, CREWROOM_PORT: String(service().port)};
    const script = `node ${MAIN} watch --json --initial | head -1; echo "\${PIPESTATUS[0]}"`;
    const {stdout, stderr} = await promisify(execFile)('bash', ['-c', script], {env: environment});
    // The blanks look for the reader.
    assert.match(stdout, /^ *\{"kind":"entry-written","key":"a",.*\}\n0\n$/);
    assert.equal(stderr, '');
  });

  test.runIf(process.platform === 'linux')('lines up and cuts where characters take two cells', async () => {
    await put('wide/航班', '1');
    await put('wide/very-long-key', `"${'航'.repeat(40)}"`);
    const line = `stty cols 60; exec ${process.execPath} ${MAIN} watch wide/ --initial`;
    const running = machine.spawnLineOnTerminal(line, {environment: {CREWROOM_PORT: String(service().port)}});
    await running.until(({stdout}) => stdout.includes('very-long-key') && stdout.includes('航班'));
    running.child.stdin.write('\u0003');
    const lines = plain((await running.finished).stdout).split('\n');
    const long = lines.find(each => each.includes('very-long-key')) ?? '';
    assert.match(long, / {2}wide\/very-long-key {2}\d+ {2}"航+…$/);
    const cells = long.length + (long.match(/航/g) ?? []).length;
    assert.ok(cells === 59 || cells === 60, `${cells} cells`);
    assert.match(lines.find(each => each.includes('航班')) ?? '', / {2}wide\/航班 {9,} {2}\d+ {2}1$/);
    const upToKey = (each: string): string => each.slice(0, each.search(/ {2}\d+ {2}["1]/));
    const short = upToKey(lines.find(each => each.includes('航班')) ?? '');
    assert.equal(short.length + 2, upToKey(long).length);
  });

  test.runIf(process.platform === 'linux')(
    'shows a line for each on a terminal, which nothing moves or breaks',
    async () => {
      await put('key', '{"text": "a text that is too long for what is left of the line", "more": [1, 2, 3]}');
      await put('moves\u009b2J', '"\u009b2J"');
      await put('large', `"${'x'.repeat(70_000)}"`);
      const line = `stty cols 60; exec ${process.execPath} ${MAIN} watch --initial`;
      const running = machine.spawnLineOnTerminal(line, {environment: {CREWROOM_PORT: String(service().port)}});
      await running.until(({stdout}) => stdout.includes('moves'));
      await remove('large');
      await running.until(({stdout}) => stdout.includes('deleted'));
      running.child.stdin.write('\u0003');
      const {exitCode, stdout} = await running.finished;
      assert.equal(exitCode, 130);
      const [head, ...lines] = plain(stdout).replace('^C', '').trimEnd().split('\n');
      assert.equal(head, 'Watching every entry; Ctrl+C ends it');
      assert.equal(lines[0]?.length, 60);
      const times = lines.map(each => each.slice(0, 8));
      assert.deepEqual(times.slice(0, 3), Array(3).fill(' '.repeat(8)), 'they were not written now');
      assert.match(times[3] ?? '', /^\d\d:\d\d:\d\d$/);
      const time = /^.{8} {2}/;
      const [cut, ...others] = lines.map(each => each.replace(time, '').replace(/ {2}\d+(?= {2}|$)/, '  N'));
      assert.match(cut ?? '', /^present {3}key {15}N {2}\{"text": "a text[a-z ]+…$/);
      assert.deepEqual(others, [
        'present   large             N  (68.4 KiB)',
        'present   moves\\u009b2J     N  "\\u009b2J"',
        'initial   all entries are above',
        'deleted   large             N',
      ]);
      assert.ok(lines.every(each => each.length <= 60));
    },
  );
});
