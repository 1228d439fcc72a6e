import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {afterEach, beforeEach, describe, test} from 'vitest';
import type {Changes, Store} from '../../src/core/domain/commits/store.ts';
import {openMemoryStore} from '../../src/store/memory/memory-store.ts';
import {startService, type TestService} from '../support/service.ts';
import {createMachine, type Finished, plain, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
let service: TestService;
beforeEach(async () => {
  service = await startService({ephemeral: true});
});
afterEach(() => service[Symbol.asyncDispose]());

/** Starts a service in the place of the one that runs. */
async function startInstead(...[options, parts]: Parameters<typeof startService>): Promise<void> {
  const {port} = service;
  await service[Symbol.asyncDispose]();
  service = await startService({ephemeral: true, port, ...options}, parts);
}

/** Starts a service whose change log has the last two changes, up to twice as many. */
async function startWithShortLog(): Promise<Store> {
  const store = openMemoryStore({nowMs: Date.now, logChangesMax: 2});
  await startInstead({}, {openStore: async () => store});
  return store;
}

function run(args: readonly string[], options?: RunOptions): Promise<Finished> {
  return machine.run([...args.slice(0, 1), '--port', String(service.port), ...args.slice(1)], options);
}

/** Runs a command at a terminal. @returns What it printed. */
async function atTerminal(...args: readonly string[]): Promise<string> {
  const words = [...args.slice(0, 1), '--port', String(service.port), ...args.slice(1)];
  const {exitCode, stdout} = await machine.runOnTerminal(words);
  assert.equal(exitCode, 0, stdout);
  return plain(stdout);
}

/** Runs the command line that a command named, as the shell of the user does. */
function undo(printed: string): Promise<Finished> {
  const [, line] = /^To undo this: (.*)$/m.exec(printed) ?? [];
  assert.ok(line !== undefined, printed);
  const words = execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\n' "$word"; done`], {encoding: 'utf8'});
  return machine.run(words.trimEnd().split('\n').slice(1));
}

const stored = async (key: string): Promise<string> => (await run(['get', key])).stdout;

describe('crewroom history', () => {
  test('lists the changes of an entry, newest first, with those who made them', async () => {
    await run(['put', 'k', '{"n": 1.0}']);
    await run(['put', 'kk', '2']);
    await run(['delete', 'k']);
    await run(['put', 'k', '3']);
    const {stdout, stderr} = await run(['history', 'k']);
    const rows = stdout.trimEnd().split('\n');
    const columns = rows.map(row => row.replace(/\d{4}-\d\d-\d\dT[\d:]+Z/, 'TIME').split(/ {2,}/));
    assert.deepEqual(columns, [
      ['REVISION', 'CHANGE', 'SIZE', 'TIME', 'BY'],
      ['4', 'written', '1 B', 'TIME', 'owner'],
      ['3', 'deleted', 'TIME', 'owner'],
      ['1', 'written', '10 B', 'TIME', 'owner'],
    ]);
    assert.equal(stderr, '');
  });

  test('prints a line of JSON for each change, with the exact text of its value, and where the log begins', async () => {
    await run(['put', 'k', '{"n": 1.0}']);
    await run(['delete', 'k']);
    const {stdout} = await run(['history', 'k', '--json']);
    const [deleted = '', written = '', begin = '', end] = stdout.split('\n');
    assert.match(deleted, /^\{"kind":"deleted","revision":"2",/);
    assert.match(written, /^\{"kind":"written","revision":"1",.*"value":\{"n": 1\.0\}\}$/);
    assert.deepEqual([begin, end], ['{"kind":"log-begins","revision":"0"}', '']);
  });

  test('has no more changes than --limit, and says that there are more', async () => {
    for (const value of ['1', '2', '3']) await run(['put', 'k', value]);
    const {stdout, stderr} = await run(['history', 'k', '--limit', '2']);
    assert.match(stdout, /\n3 .*\n2 .*\n$/);
    assert.match(stderr, /There are more/);
  });

  test('of a key that was never written says so', async () => {
    assert.deepEqual(await run(['history', 'none']), {
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: 'There never was an entry with this key\n',
    });
  });

  test('--at prints the value that the entry had at a revision, byte for byte', async () => {
    await run(['put', 'k', '-'], {input: '{"n": 1.0,\n "n": 2}'});
    await run(['put', 'other', '1']);
    await run(['put', 'k', '3']);
    for (const at of ['1', '2']) {
      const {stdout} = await run(['history', 'k', '--at', at]);
      assert.equal(stdout, '{"n": 1.0,\n "n": 2}');
    }
    assert.match((await run(['history', 'k', '--at', '3', '--json'])).stdout, /^\{"kind":"written",.*"value":3\}\n$/);
  });

  test('says where the log begins, also for what it does not have', async () => {
    const store = await startWithShortLog();
    await run(['put', 'k', '1']);
    for (let count = 0; count < 8; count++) await run(['put', 'other', '1']);
    const {trimmedRevision: begin = 0} = (await store.statistics()) ?? {};
    const note = `The change log begins after revision ${begin}; snapshots may have older values\n`;
    assert.deepEqual(await run(['history', 'k']), {exitCode: 0, signal: null, stdout: '', stderr: note});
    const {exitCode, stderr} = await run(['history', 'k', '--at', '2']);
    assert.equal(exitCode, 3);
    assert.ok(begin >= 2 && stderr.includes(`at revision 2: the change log begins after revision ${begin}\n`), stderr);
  });

  test('--at has no half of a value, and says why', async () => {
    await run(['put', 'k', '-'], {input: JSON.stringify('x'.repeat(64 * 1024))});
    await run(['delete', 'k']);
    for (const [at, reason] of [
      ['1', /with 64\.0 KiB it was too large for the change log/],
      ['2', /there was no entry/],
    ] as const) {
      const {exitCode, stdout, stderr} = await run(['history', 'k', '--at', at]);
      assert.deepEqual([exitCode, stdout], [3, '']);
      assert.match(stderr, reason);
      assert.match(stderr, /crewroom history KEY/);
    }
  });
});

describe('crewroom restore', () => {
  test('stores an earlier value again, also of a deleted entry, and leaves others alone', async () => {
    await run(['put', 'k', '{"n": 1.0}', '--ttl', '1h']);
    await run(['put', 'kk', '2']);
    await run(['delete', 'k']);
    const {exitCode, stdout} = await run(['restore', 'k', '--at', '1', '--json']);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^\{"key":"k","revision":"4","etag":".*","created":true\}\n$/);
    assert.equal(await stored('k'), '{"n": 1.0}');
    assert.equal(await stored('kk'), '2');
    const {entries} = await service.crewroom.entries.list({prefix: 'k'});
    assert.deepEqual(
      entries.map(({expiresAtMs}) => expiresAtMs),
      [undefined, undefined],
    );
  });

  test('has a time to live if it is asked to', async () => {
    await run(['put', 'k', '1']);
    await run(['restore', 'k', '--at', '1', '--ttl', '1h']);
    assert.ok((await service.crewroom.entries.get('k'))?.expiresAtMs !== undefined);
  });

  test('is refused if the entry changes meanwhile, and the change stays', async () => {
    const store = openMemoryStore({nowMs: Date.now});
    let isAsked = false;
    const changes = async (...[after, options]: Parameters<typeof store.changes>): Promise<Changes> => {
      if (isAsked) await service.crewroom.entries.put('k', 'of another');
      isAsked = false;
      return store.changes(after, options);
    };
    const members = {changes};
    const openStore = async (): Promise<typeof store> =>
      new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(name in members ? members : target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    await startInstead({}, {openStore});
    await run(['put', 'k', '1']);
    await run(['put', 'k', '2']);
    isAsked = true;
    assert.equal((await run(['restore', 'k', '--at', '1'])).exitCode, 4);
    assert.equal(await stored('k'), '"of another"');
  });

  for (const command of ['restore', 'history'])
    test(`is refused, as history --at is, by another store and for a revision that is none yet: ${command}`, async () => {
      await run(['put', 'k', '1']);
      const [{etag = ''} = {}] = (await service.crewroom.entries.list()).entries;
      for (const [at, reason] of [
        ['2', 'at revision 2: it is after the last revision\n'],
        ['0123456789abcdef-1', 'at revision 1: it is of another store\n'],
        [etag.replace(/1"$/, '99999"'), 'at revision 99999: it is after the last revision\n'],
      ] as const) {
        const {exitCode, stdout, stderr} = await run([command, 'k', '--at', at]);
        assert.deepEqual([exitCode, stdout], [3, '']);
        assert.ok(stderr.includes(reason), stderr);
      }
      assert.deepEqual((await service.crewroom.entries.get('k'))?.revision, 1);
      assert.equal((await run([command, 'k', '--at', etag])).exitCode, 0);
    });

  for (const [name, args, exitCode] of [
    ['another revision', ['--at', '2', '--if-match', '2'], 4],
    ['an entry that is there', ['--at', '2', '--if-absent'], 4],
    ['a revision at which there was none', ['--at', '1'], 3],
    ['no revision', [], 2],
  ] as const)
    test(`is refused with ${name}, and nothing is lost`, async () => {
      await run(['put', 'other', '0']);
      await run(['put', 'k', '1']);
      await run(['put', 'k', '2']);
      assert.equal((await run(['restore', 'k', ...args])).exitCode, exitCode);
      assert.equal(await stored('k'), '2');
    });
});

describe('a command that changes one entry prints how to undo it', () => {
  test('put of a new value: the line restores the earlier one', async () => {
    await run(['put', 'k', '{"n": 1.0}']);
    const printed = await atTerminal('put', 'k', '2');
    assert.equal((await undo(printed)).exitCode, 0);
    assert.equal(await stored('k'), '{"n": 1.0}');
  });

  test('put of a new entry: the line deletes it', async () => {
    const printed = await atTerminal('put', 'k', '2');
    assert.equal((await undo(printed)).exitCode, 0);
    assert.equal((await run(['get', 'k'])).exitCode, 3);
  });

  test('patch: the line restores the value without it', async () => {
    await run(['put', 'k', '{"a": 1}']);
    const printed = await atTerminal('patch', 'k', '{"b": 2}');
    assert.equal((await undo(printed)).exitCode, 0);
    assert.equal(await stored('k'), '{"a": 1}');
  });

  test('delete: the line brings the entry back', async () => {
    await run(['put', 'k', '1']);
    const printed = await atTerminal('delete', 'k');
    assert.equal((await undo(printed)).exitCode, 0);
    assert.equal(await stored('k'), '1');
  });

  test('restore: the line stores what was there before', async () => {
    await run(['put', 'k', '1']);
    await run(['put', 'k', '2']);
    const printed = await atTerminal('restore', 'k', '--at', '1');
    assert.equal(await stored('k'), '1');
    assert.equal((await undo(printed)).exitCode, 0);
    assert.equal(await stored('k'), '2');
  });

  test('an entry that expires is restored with the rest of its time to live', async () => {
    await run(['put', 'k', '1', '--ttl', '1h']);
    const {expiresAtMs = 0} = (await service.crewroom.entries.get('k')) ?? {};
    const printed = await atTerminal('delete', 'k');
    assert.equal((await undo(printed)).exitCode, 0);
    const {expiresAtMs: restoredMs = Infinity} = (await service.crewroom.entries.get('k')) ?? {};
    assert.ok(Math.abs(restoredMs - expiresAtMs) < 60_000);
  });

  test('a key that a shell would read otherwise is quoted', async () => {
    const key = `it's $(touch pwned);"x" &`;
    await run(['put', key, '1']);
    const printed = await atTerminal('put', key, '2');
    assert.equal((await undo(printed)).exitCode, 0);
    assert.equal(await stored(key), '1');
  });

  test('the line is refused once the entry has changed again, or is there again', async () => {
    await run(['put', 'k', '1']);
    const replaced = await atTerminal('put', 'k', '2');
    await run(['put', 'k', 'null']);
    assert.equal((await undo(replaced)).exitCode, 4);
    const deleted = await atTerminal('delete', 'k');
    await run(['put', 'k', '"theirs"']);
    assert.equal((await undo(deleted)).exitCode, 4);
    assert.equal(await stored('k'), '"theirs"');
  });

  test('the lines are refused by another store, whose entries stay', async () => {
    const created = await atTerminal('put', 'a', '1');
    const replaced = await atTerminal('put', 'a', '2');
    const deleted = await atTerminal('delete', 'a');
    await startInstead();
    await run(['put', 'a', '"theirs"']);
    assert.equal((await undo(created)).exitCode, 4);
    await run(['put', 'a', '"theirs"']);
    assert.equal((await undo(replaced)).exitCode, 3);
    await run(['put', 'other', '1']);
    await run(['delete', 'a']);
    assert.equal((await undo(deleted)).exitCode, 3);
    assert.equal((await run(['get', 'a'])).exitCode, 3);
  });

  for (const key of ['-a', 'a\u2028b'])
    test(`without a line that a shell would pass on otherwise, for the key ${JSON.stringify(key)}`, async () => {
      await run(['put', '--', key, '1']);
      const printed = await atTerminal('put', '--', key, '2');
      const [, command, note] = /^To undo this: "crewroom (restore --at [^"]*)" (.*)$/m.exec(printed) ?? [];
      assert.equal(note, 'with the key and the flags of this command, which a copied line may change');
      assert.equal((await run([...(command ?? '').split(' '), '--', key])).exitCode, 0);
      assert.equal((await service.crewroom.entries.get(key))?.text, '1');
    });

  test('and says why not if the log does not have the earlier value any more', async () => {
    await startWithShortLog();
    await run(['put', 'k', '1']);
    for (let count = 0; count < 8; count++) await run(['put', 'other', '1']);
    assert.match(await atTerminal('delete', 'k'), /This cannot be undone: the change log begins after revision [1-9]/);
  });

  test('and says why not if the log does not have the earlier value', async () => {
    await run(['put', 'k', '-'], {input: JSON.stringify('x'.repeat(64 * 1024))});
    assert.match(
      await atTerminal('put', 'k', '1'),
      /This cannot be undone: with .* it was too large for the change log/,
    );
  });

  test('nothing of it in a pipe', async () => {
    await run(['put', 'k', '1']);
    assert.deepEqual(await run(['put', 'k', '2']), {exitCode: 0, signal: null, stdout: '', stderr: ''});
  });
});
