import assert from 'node:assert/strict';
import {chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {
  changesOf,
  keysOf,
  patch,
  put,
  range,
  read,
  remove,
  textOf,
  write,
} from '../../test/contracts/shared/assertions.ts';
import {IS_WINDOWS, shownMode} from '../../test/support/platform.ts';
import {makeDirectory, openStore} from '../../test/support/store-fixture.ts';
import type {Store} from '../core/domain/commits/store.ts';
import {parseKey} from '../core/domain/entries/identifiers.ts';
import {encodeChangeLogKey} from './format/change-log-record.ts';
import {openEnvironment} from './lmdb/environment.ts';
import type {Table} from './lmdb/table.ts';
import {verifyStore} from './verify-store.ts';

const LOG_CHANGES_MAX = 10;

describe('an LMDB store that is opened again', () => {
  test('has its entries, revision and changes', async () => {
    const directory = await makeDirectory();
    let nowMs = 1_000;
    const first = await openStore(directory, {nowMs: () => nowMs++});
    await write(first, put('a', '12345678901234567890'), put('__proto__', '"é"'));
    await write(first, remove('a'), put('b', '1e400'));
    const before = await describeStore(first);
    await first[Symbol.asyncDispose]();
    const second = await openStore(directory);
    assert.deepEqual(await describeStore(second), before);
    assert.deepEqual(await write(second, put('a', '1')), {revision: 3, outcomes: ['created']});
  });

  test('has the callers of its entries and changes, from its write-ahead log too', async () => {
    const directory = await makeDirectory();
    const first = await openStore(directory);
    await first.commit({checks: [], operations: [put('a'), put('b')], writtenBy: 'token:t'});
    await first.commit({checks: [], operations: [remove('b')], writtenBy: 'plugin:com.p'});
    const before = await changesOf(first, 0);
    assert.deepEqual(
      before.map(({writtenBy}) => writtenBy),
      ['token:t', 'token:t', 'plugin:com.p'],
    );
    await first[Symbol.asyncDispose]();
    const second = await openStore(directory);
    assert.equal((await second.get(parseKey('a')))?.writtenBy, 'token:t');
    assert.deepEqual(await changesOf(second, 0), before);
  });

  test('remembers which changes it has trimmed', async () => {
    const directory = await makeDirectory();
    for (let round = 0; round < 4; round++) {
      const store = await openStore(directory, {logChangesMax: LOG_CHANGES_MAX});
      for (let index = 0; index < LOG_CHANGES_MAX; index++) await write(store, put(`key ${index}`));
      await store[Symbol.asyncDispose]();
    }
    const store = await openStore(directory, {logChangesMax: LOG_CHANGES_MAX});
    assert.deepEqual(await store.changes(0, {limit: 1}), {kind: 'reset', revision: 40});
    assert.equal((await changesOf(store, 30)).length, LOG_CHANGES_MAX);
    await store[Symbol.asyncDispose]();
    assert.ok((await countLogRecords(directory)) <= LOG_CHANGES_MAX);
  });

  test('shortens a log that was longer before', async () => {
    const directory = await makeDirectory();
    const first = await openStore(directory);
    for (let index = 0; index < 100; index++) await write(first, put('a'));
    await first[Symbol.asyncDispose]();
    const second = await openStore(directory, {logChangesMax: LOG_CHANGES_MAX});
    for (let index = 0; index < 20; index++) await write(second, put('a'));
    await second[Symbol.asyncDispose]();
    assert.ok((await countLogRecords(directory)) <= LOG_CHANGES_MAX);
  });
});

describe('the log of changes', () => {
  test('has no gap after a restart where more came at once than it holds', async () => {
    const directory = await makeDirectory();
    const first = await openStore(directory, {logBytesMax: 400_000});
    for (let index = 0; index < 200; index++) await write(first, put(`key ${index}`));
    await first.changes(200, {limit: 1});
    const value = JSON.stringify('x'.repeat(60_000));
    await Promise.all(Array.from({length: 20}, (_, index) => write(first, put(`key ${index}`, value))));
    await first[Symbol.asyncDispose]();
    const store = await openStore(directory, {logBytesMax: 400_000});
    for (let after = 0; after < 220; after++) {
      const changes = await store.changes(after, {limit: 1000});
      const all = Array.from({length: 220 - after}, (_, index) => after + 1 + index);
      const found = changes.kind === 'reset' ? all : changes.changes.map(({revision}) => revision);
      assert.deepEqual(found, all);
    }
  });

  test('is bounded in bytes of keys and values, over restarts too, and keeps the newest', async () => {
    const directory = await makeDirectory();
    const value = `"${'x'.repeat(1000)}"`;
    for (let round = 0; round < 3; round++) {
      const store = await openStore(directory, {logBytesMax: 10_000});
      for (let index = 0; index < 20; index++) await write(store, put('a', value));
      await store[Symbol.asyncDispose]();
    }
    const store = await openStore(directory, {logBytesMax: 10_000});
    assert.deepEqual(await store.changes(49, {limit: 1}), {kind: 'reset', revision: 60});
    assert.equal((await changesOf(store, 50)).length, 10);
    await store[Symbol.asyncDispose]();
    assert.ok((await countLogRecords(directory)) <= 10);
  });

  test('returns copies of values, so that keeping a small value does not keep a large record', async () => {
    const store = await openStore(await makeDirectory());
    await Promise.all([write(store, put('large', `"${'x'.repeat(60_000)}"`)), write(store, put('small', '[1]'))]);
    const [, small] = await changesOf(store, 0);
    assert.ok(small?.kind === 'put' && small.json !== undefined);
    assert.equal(small.json.buffer.byteLength, 3);
  });

  test('is read in parts where many commits with values reach the disk together, and in order', async () => {
    const store = await openStore(await makeDirectory());
    const value = `"${'x'.repeat(30_000)}"`;
    await Promise.all(Array.from({length: 60}, (_, index) => write(store, put(`é${index}`, value), put('last'))));
    const revisions: number[] = [];
    for (let after = 0; after < 60; ) {
      const found = await store.changes(after, {limit: 1000});
      if (found.kind === 'reset') assert.fail('the log has forgotten a change');
      assert.ok(found.changes.length > 0 && found.changes.length < 80);
      revisions.push(...found.changes.map(({revision}) => revision));
      after = found.revision;
    }
    assert.deepEqual(
      revisions,
      Array.from({length: 120}, (_, index) => Math.floor(index / 2) + 1),
    );
  });
});

describe('the files of a store', () => {
  test.skipIf(IS_WINDOWS)('are accessible to their owner only, also if they were accessible to all users', async () => {
    const directory = join(await makeDirectory(), 'deep', 'data');
    const first = await openStore(directory);
    await write(first, put('a'));
    await first[Symbol.asyncDispose]();
    for (const path of await walk(directory)) await chmod(path, (await stat(path)).isDirectory() ? 0o777 : 0o666);
    await openStore(directory);
    for (const path of await walk(directory)) {
      const status = await stat(path);
      assert.equal((status.mode & 0o777).toString(8), status.isDirectory() ? '700' : '600', path);
    }
  });

  test.skipIf(process.getuid?.() !== 0)('are refused if they belong to another user (needs root)', async () => {
    for (const part of ['', 'store', 'lock', 'store/data.mdb', 'format.json']) {
      const directory = await makeDirectory();
      await (await openStore(directory))[Symbol.asyncDispose]();
      await chown(join(directory, part), 12_345, 12_345);
      await assert.rejects(openStore(directory), {
        failure: {
          code: 'data-directory-unusable',
          directory: join(directory, part),
          problem: 'it belongs to user 12345, and this process runs as 0',
        },
      });
    }
  });

  test.skipIf(IS_WINDOWS)('may be in a directory behind a link of the owner', async () => {
    const directory = await makeDirectory();
    await mkdir(join(directory, 'real'));
    await symlink(join(directory, 'real'), join(directory, 'link'));
    await write(await openStore(join(directory, 'link')), put('a'));
    assert.ok((await readdir(join(directory, 'real'))).includes('format.json'));
  });

  test('cannot have the path of a file', async () => {
    const file = join(await makeDirectory(), 'file');
    await writeFile(file, '');
    await assert.rejects(openStore(file), (error: {failure?: {code: string}}) => {
      assert.equal(error.failure?.code, 'data-directory-unusable');
      return true;
    });
  });
});

describe('the format of a data directory', () => {
  const refused = [
    {name: 'a newer one', text: '{"format":8}\n', found: '8'},
    {name: 'an older one', text: '{"format":5}\n', found: '5'},
    {name: 'no number', text: '{"format":"1"}', found: '"{\\"format\\":\\"1\\"}"'},
    {name: 'a fraction', text: '{"format":1.5}', found: '"{\\"format\\":1.5}"'},
    {name: 'null', text: 'null', found: '"null"'},
    {name: 'an empty file', text: '', found: '""'},
    {name: 'garbage', text: '\0\u0001garbage', found: '"\\u0000\\u0001garbage"'},
  ];
  for (const {name, text, found} of refused) {
    test(`is refused when it is ${name}, and nothing is changed`, async () => {
      const directory = await makeDirectory();
      await writeFile(join(directory, 'format.json'), text);
      await chmod(directory, 0o755);
      await assert.rejects(openStore(directory), {
        failure: {code: 'data-format-unsupported', directory, found, supported: 7},
      });
      assert.deepEqual(await readdir(directory), ['format.json']);
      assert.equal(await readFile(join(directory, 'format.json'), 'utf8'), text);
      assert.equal((await stat(directory)).mode & 0o777, shownMode(0o755));
    });
  }

  test('is written when the directory is first used', async () => {
    const directory = await makeDirectory();
    await (await openStore(directory))[Symbol.asyncDispose]();
    assert.equal(await readFile(join(directory, 'format.json'), 'utf8'), '{"format":7}\n');
  });
});

describe('a damaged store', () => {
  const PAGE_BYTES = 4096;
  const loseLastPage = async (file: string): Promise<void> => truncate(file, (await stat(file)).size - PAGE_BYTES);
  const damages = [
    {name: 'is missing', damage: (file: string) => rm(file)},
    {name: 'is empty', damage: (file: string) => truncate(file, 0)},
    {name: 'is cut within its first page', damage: (file: string) => truncate(file, 100)},
    {name: 'is cut within its second page', damage: (file: string) => truncate(file, PAGE_BYTES + 100)},
    {name: 'is cut behind its first pages', damage: (file: string) => truncate(file, PAGE_BYTES * 2)},
    // Under Wine the file has the size of the map, so its last page was never used, and is no loss.
    ...(IS_WINDOWS ? [] : [{name: 'lost its last page', damage: loseLastPage}]),
    {name: 'has a first page of zeros', damage: (file: string) => overwrite(file, 0, Buffer.alloc(PAGE_BYTES))},
    {
      name: 'has a second page of zeros',
      damage: (file: string) => overwrite(file, PAGE_BYTES, Buffer.alloc(PAGE_BYTES)),
    },
    {name: 'is another file', damage: (file: string) => writeFile(file, 'x'.repeat(100_000))},
  ];
  for (const {name, damage} of damages) {
    test(`is refused when its file ${name}`, async () => {
      const directory = await makeDirectory();
      const file = join(directory, 'store', 'data.mdb');
      const store = await openStore(directory);
      for (let index = 0; index < 20; index++) await write(store, put(`key ${index}`, `"${'x'.repeat(2000)}"`));
      await store[Symbol.asyncDispose]();
      await damage(file);
      await assertRefused(openStore(directory), 'store-corrupt');
      // What was opened on the way is closed again: the answer is the same, and not that we have it ourselves.
      await assertRefused(openStore(directory), 'store-corrupt');
    });
  }

  test('is refused for good when the root of its tables is damaged', async () => {
    const directory = await makeDirectory();
    const store = await openStore(directory);
    await write(store, put('a'));
    await store[Symbol.asyncDispose]();
    const file = join(directory, 'store', 'data.mdb');
    const pages = (await stat(file)).size / PAGE_BYTES;
    for (let page = 2; page < pages; page++) await overwrite(file, page * PAGE_BYTES, Buffer.alloc(PAGE_BYTES));
    await assertRefused(openStore(directory), 'store-corrupt');
    await assertRefused(openStore(directory), 'store-corrupt');
  });

  test('is refused when its lock is damaged, on which the engine would end the process, with advice', async () => {
    const directory = await makeDirectory();
    await (await openStore(directory))[Symbol.asyncDispose]();
    await overwrite(join(directory, 'lock', 'data.mdb'), 0, Buffer.alloc(PAGE_BYTES * 2, 0xee));
    await assert.rejects(openStore(directory), (error: Error) => /delete the directory "lock"/.test(error.message));
    await rm(join(directory, 'lock'), {recursive: true});
    await openStore(directory);
  });

  test('serves all entries but the one with a flipped bit in its value, and names that', async () => {
    const directory = await makeDirectory();
    const store = await openStore(directory);
    await write(store, put('good', '"unmistakable good"'), put('bad', '"unmistakable bad"'));
    await store[Symbol.asyncDispose]();
    await flipBit(join(directory, 'store', 'data.mdb'), '"unmistakable bad"');
    const again = await openStore(directory);
    const corrupt = {failure: {code: 'entry-corrupt', key: 'bad'}};
    await assert.rejects(read(again, 'bad'), corrupt);
    assert.equal(textOf(await read(again, 'good')), '"unmistakable good"');
    assert.deepEqual(keysOf(await again.list(range())), ['bad', 'good'], 'its header is sound');
    await assert.rejects(again.list({...range(), values: true}), corrupt);
    const patching = [write(again, patch('bad', '{}'), put('new')), write(again, patch('good', '{"a":1}'))];
    const [refused, patched] = await Promise.allSettled(patching);
    assert.deepEqual(refused?.status === 'rejected' && refused.reason.failure, corrupt.failure);
    assert.deepEqual([patched?.status, textOf(await read(again, 'good'))], ['fulfilled', '{"a":1}']);
    assert.equal(await read(again, 'new'), undefined);
    await write(again, put('bad', '"repaired"'));
    assert.equal(textOf(await read(again, 'bad')), '"repaired"');
  });

  test('names an entry whose header is wrong, compares it with nothing, and lets it be replaced', async () => {
    const directory = await makeDirectory();
    await (await openStore(directory))[Symbol.asyncDispose]();
    await writeRecord(directory, 'short', Buffer.of(1, 2, 3));
    await writeRecord(directory, 'wrong', Buffer.alloc(100, 1));
    const store = await openStore(directory);
    for (const key of ['short', 'wrong']) {
      await assert.rejects(read(store, key), {failure: {code: 'entry-corrupt', key}});
      await assert.rejects(
        store.commit({checks: [{key: parseKey(key), expected: [1, 0x010101010101]}], operations: []}),
        {
          failure: {
            code: 'revision-conflict',
            conflicts: [{key, expected: '1 or 1103823438081', actual: '0', etag: `"${store.id}-0"`}],
          },
        },
      );
    }
    await assert.rejects(store.list(range()), {failure: {code: 'entry-corrupt', key: 'short'}});
    await write(store, put('short', '1'), remove('wrong'));
    assert.deepEqual(keysOf(await store.list(range())), ['short']);
  });

  test('reports a record that is stored under another key', async () => {
    const directory = await makeDirectory();
    const store = await openStore(directory);
    await write(store, put('a', '1'));
    await store[Symbol.asyncDispose]();
    const environment = await openEnvironment({directory: join(directory, 'store')});
    const record = environment.table('entries').get(Buffer.from('a')) ?? assert.fail('no record');
    await environment[Symbol.asyncDispose]();
    await writeRecord(directory, 'b', record);
    const again = await openStore(directory);
    await assert.rejects(read(again, 'b'), {failure: {code: 'entry-corrupt', key: 'b'}});
  });

  test('returns reset if its log is damaged', async () => {
    const directory = await makeDirectory();
    for (const key of ['first', 'second', 'third']) {
      // What goes into the tree together has one record.
      const store = await openStore(directory);
      await write(store, put(key, `"${key}"`));
      await store[Symbol.asyncDispose]();
    }
    await flipBit(join(directory, 'store', 'data.mdb'), '"second"');
    const again = await openStore(directory);
    assert.equal((await again.changes(0, {limit: 10})).kind, 'reset');
    assert.deepEqual(
      (await changesOf(again, 2)).map(({key}) => key),
      ['third'],
    );
    assert.equal((await write(again, put('a'))).revision, 4);
  });

  test('returns reset if a record of its log is missing', async () => {
    const directory = await makeDirectory();
    for (const key of ['first', 'second', 'third']) {
      const store = await openStore(directory);
      await write(store, put(key, '1'));
      await store[Symbol.asyncDispose]();
    }
    await changeLog(directory, log => log.remove(encodeChangeLogKey(2)));
    const again = await openStore(directory);
    assert.equal((await again.changes(0, {limit: 10})).kind, 'reset');
    assert.equal((await again.changes(1, {limit: 10})).kind, 'reset');
    assert.equal((await changesOf(again, 2)).length, 1);
  });

  for (const {name, wrongKey} of [
    {name: 'a higher revision', wrongKey: encodeChangeLogKey(1000)},
    {name: 'a lower one', wrongKey: encodeChangeLogKey(1)},
    {name: 'none at all', wrongKey: Buffer.of(1)},
  ]) {
    test(`is refused when the key of its last change names ${name}: no revision is given twice`, async () => {
      const directory = await makeDirectory();
      const store = await openStore(directory);
      await write(store, put('a'));
      await write(store, put('b'));
      await store[Symbol.asyncDispose]();
      await changeLog(directory, log => {
        const record = log.get(encodeChangeLogKey(2)) ?? assert.fail('no record');
        log.remove(encodeChangeLogKey(2));
        log.put(wrongKey, record);
      });
      await assertRefused(openStore(directory), 'store-corrupt');
      assert.ok((await verifyStore(directory)).damagedChanges > 0);
    });
  }

  test('reads and names entries on other pages than a damaged one', async () => {
    const directory = await makeDirectory();
    // The log has the values too: here it is to forget them.
    const store = await openStore(directory, {logBytesMax: 0});
    const keys = Array.from({length: 200}, (_, index) => `key ${index}`);
    await write(store, ...keys.map(key => put(key, `"${key} ${'x'.repeat(200)}"`)));
    await write(store, put('z'));
    await store[Symbol.asyncDispose]();
    const file = join(directory, 'store', 'data.mdb');
    for (const at of placesOf(await readFile(file), '"key 100 ')) {
      await overwrite(file, at - (at % PAGE_BYTES), Buffer.alloc(PAGE_BYTES, 0xff));
    }
    const again = await openStore(directory);
    const results = await Promise.allSettled(keys.map(key => read(again, key)));
    const failures = results.flatMap(each => (each.status === 'rejected' ? [each.reason.failure] : []));
    assert.deepEqual(failures[0], {code: 'entry-corrupt', key: failures[0]?.key});
    assert.ok(failures.length < 20 && failures.every(({code}) => code === 'entry-corrupt'));
    assert.ok(results.every((each, index) => each.status === 'rejected' || each.value?.key === keys[index]));
    await assert.rejects(again.list(range()), {failure: {code: 'store-corrupt', what: 'part'}});
    await assert.rejects(again.list(range({reverse: true})), {
      failure: {code: 'store-corrupt', what: 'part', after: 'key 110'},
    });
    assert.equal((await read(again, 'z'))?.key, 'z', 'a list that failed keeps no other read from its page');
  });
});

async function describeStore(store: Store): Promise<object> {
  return {
    entries: await store.list({...range(), values: true}),
    revision: store.revision,
    changes: await changesOf(store, 0),
  };
}

async function assertRefused(opening: Promise<Store>, code: string): Promise<void> {
  await assert.rejects(opening, (error: {failure?: {code: string}}) => {
    assert.equal(error.failure?.code, code, String(error));
    return true;
  });
}

async function countLogRecords(directory: string): Promise<number> {
  const environment = await openEnvironment({directory: join(directory, 'store')});
  try {
    return environment.table('changes').count();
  } finally {
    await environment[Symbol.asyncDispose]();
  }
}

function writeRecord(directory: string, key: string, record: Buffer): Promise<void> {
  return changeTable(directory, 'entries', table => table.put(Buffer.from(key), record));
}

function changeLog(directory: string, change: (log: Table) => void): Promise<void> {
  return changeTable(directory, 'changes', change);
}

async function changeTable(directory: string, name: string, change: (table: Table) => void): Promise<void> {
  const environment = await openEnvironment({directory: join(directory, 'store')});
  const table = environment.table(name);
  await environment.write(() => change(table));
  await environment[Symbol.asyncDispose]();
}

/** Every place where a text stands: old pages have it too. */
function placesOf(bytes: Buffer, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) places.push(at);
  assert.ok(places.length > 0, 'the text is not in the file');
  return places;
}

/** Flips a bit in every place of a file where a text stands. */
async function flipBit(file: string, text: string): Promise<void> {
  const bytes = await readFile(file);
  for (const at of placesOf(bytes, text)) bytes.writeUInt8(bytes.readUInt8(at + 2) ^ 1, at + 2);
  await writeFile(file, bytes);
}

async function overwrite(file: string, at: number, bytes: Buffer): Promise<void> {
  const content = await readFile(file);
  bytes.copy(content, at);
  await writeFile(file, content);
}

async function walk(directory: string): Promise<readonly string[]> {
  const found = await readdir(directory, {recursive: true});
  return [directory, ...found.map(name => join(directory, name))];
}
