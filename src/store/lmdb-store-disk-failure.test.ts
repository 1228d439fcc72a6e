import assert from 'node:assert/strict';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {changesOf, keysOf, put, range, read, textOf, write} from '../../test/contracts/shared/assertions.ts';
import {ProcessFailure, type StoreProcess} from '../../test/store/store-process.ts';
import {CAN_LIMIT, CAN_TRACE, makeDirectory, openStore, startProcess} from '../../test/support/store-fixture.ts';
import {WAL_FILES} from './wal/write-ahead-log.ts';

/** Traces a process and its threads. It stops only at the traced calls: at every call, most of the time would be spent there. */
const STRACE = ['strace', '-f', '--seccomp-bpf'];

/** Options for one thread of disk access, so that the N-th call of a kind is always the same one. */
const ONE_THREAD = ['-E', 'UV_THREADPOOL_SIZE=1'];

/** Maximum number of writes until the failure: checkpoints happen four times a second, however fast writes are. */
const WRITES_MAX = 20_000;

/** At least as many writes as the engine makes to a new file until the first commit is in it. */
const FIRST_WRITES = 8;

/** Matches the call that opens the write-ahead log. */
const WAL_FILE = /openat\(.*\/store\/wal-0", O_WRONLY.* = (\d+)$/;

/** Calls that fail, by their number; the first at which the process lives on is judged. */
const FAILURES = [
  {name: 'a sync of the write-ahead log', file: 'wal-0', call: 'fdatasync', counts: [5]},
  {name: 'a write to the write-ahead log', file: 'wal-0', call: 'pwrite64', counts: [5]},
  {name: 'a sync of the tree', file: 'data.mdb', call: 'fdatasync', counts: [13]},
  // After a failed write the engine may damage its own memory and end the process, at once or later; at which write differs from run to run.
  {
    name: 'a write of a commit to the tree',
    file: 'data.mdb',
    call: 'pwrite64',
    counts: Array.from({length: 20}, (_, index) => 20 + index),
  },
];

describe.skipIf(!CAN_TRACE)('a store on a disk that fails (needs strace)', () => {
  for (const {name, file, call, counts} of FAILURES) {
    test(`is read-only after ${name} fails, and opens again with what it acknowledged`, async () => {
      for (const count of counts) {
        const failed = await writeUntilFailure(file, call, count);
        const lives = await isReadOnly(failed).catch(error => {
          if (error instanceof ProcessFailure && error.failure.code === 'killed') return false;
          throw error;
        });
        await assertOpensAgain(failed);
        if (lives) return;
      }
      assert.fail(`the process was ended by each of ${counts.length} failures`);
    });
  }

  // Once the tree says that there is a write-ahead log, which is a transaction of one sync and four writes; the engine may end the
  // process at the writes of single pages before that of a commit.
  const unwritable = [
    {name: 'be synced', call: 'fdatasync', when: '2+'},
    {name: 'be told of a commit', call: 'pwrite64', when: '7+'},
  ];
  for (const {name, call, when} of unwritable) {
    test(`serves what it acknowledged when the tree cannot ${name}, and has it when it is opened again`, async () => {
      const {directory, store} = await startFailing({file: 'data.mdb', call, when});
      const revision = await store.call('commit', {puts: [putOf('a', '1'), putOf('kept', '2')], deletes: ['gone']});
      // The tree gets it by itself.
      await expect.poll(() => store.call('readOnlyBecause')).toBeDefined();

      const assertThere = async (service: StoreProcess): Promise<void> => {
        assert.deepEqual(await service.call('keys'), ['a', 'kept']);
        const values = [service.call('get', {key: 'a'}), service.call('get', {key: 'kept'})];
        assert.deepEqual(await Promise.all(values), ['1', '2']);
        assert.equal(await service.call('get', {key: 'gone'}), undefined);
        const {changes} = await service.call('changes', {after: revision - 1});
        assert.deepEqual(
          changes.map(({kind, key}) => [kind, key]),
          [
            ['put', 'a'],
            ['put', 'kept'],
            ['delete', 'gone'],
          ],
        );
      };
      await assertThere(store);
      const refused = [store.call('put', putOf('b', '1')), store.call('delete', {key: 'a'})];
      for (const {code} of await failuresOf(refused)) assert.equal(code, 'store-read-only');
      await assertThere(store);
      await store.call('close');
      assert.deepEqual(await walFilesOf(directory), WAL_FILES);

      const again = await startProcess();
      await again.call('open', {directory});
      await assertThere(again);
      assert.equal(await again.call('put', putOf('b', '1')), revision + 1);
      await again.call('close');
      assert.deepEqual(await walFilesOf(directory), []);
    });
  }

  for (const {name, call, when} of [
    ...unwritable,
    {name: 'be told of a write-ahead log', call: 'pwrite64', when: '4+'},
  ]) {
    test(`refuses writes as read-only, and as nothing else, while the tree cannot ${name}`, async () => {
      const {store} = await startFailing({file: 'data.mdb', call, when});
      // Each is of another key, so that the tree is asked for it, also in the moment in which the engine fails and has not said so.
      const codes = new Set<string>();
      for (let round = 0; codes.size === 0; round++) {
        const keys = Array.from({length: 20}, (_, index) => `${round} ${index}`);
        const refused = await Promise.allSettled(keys.map(key => store.call('put', putOf(key, '1'))));
        for (const result of refused) if (result.status === 'rejected') codes.add(result.reason.failure.code);
      }
      assert.deepEqual([...codes], ['store-read-only']);
    });
  }

  test('reads on and takes writes again after the disk was full in the middle of a write to the tree', async () => {
    // The sync of the pages of a write: their own writes may end the process.
    const {store} = await startFailing({file: 'data.mdb', call: 'fdatasync', error: 'ENOSPC', when: '5'});
    const codes: string[] = [];
    let group = 0;
    for (; codes.length === 0; group++) {
      const committed = store
        .call('commit', {puts: largePuts(group, 8)})
        .catch(({failure}) => codes.push(failure.code));
      assert.deepEqual(await Promise.all(['kept', `large ${group - 1}.7`].map(key => store.call('get', {key}))), [
        '1',
        group === 0 ? undefined : LARGE,
      ]);
      await committed;
    }
    const key = `large ${group - 1}.0`;
    assert.equal(await store.call('get', {key}), undefined);
    await store.call('commit', {puts: largePuts(group - 1, 8)});
    assert.equal(await store.call('get', {key}), LARGE);
    assert.deepEqual(codes, ['disk-full']);
  });

  test('is not reported as damaged if the disk is too full to open it', async () => {
    const directory = await makeDirectory();
    const file = join(directory, 'store', 'data.mdb');
    // Before that the engine makes its files, where a failed write can end the process.
    const under = [...traceFile(file, 'pwrite64'), '-e', 'inject=pwrite64:error=ENOSPC:when=2+'];
    const store = await startProcess({under});
    assert.equal((await failureOf(() => store.call('open', {directory}))).code, 'data-directory-unusable');
  });

  const unreadable = [
    {name: 'a new store cannot open its file', file: 'data.mdb', call: 'openat', isNew: true},
    {name: 'a store cannot open its file', file: 'data.mdb', call: 'openat', isNew: false},
    {name: 'a store cannot read its file', file: 'data.mdb', call: 'pread64', isNew: false},
    {name: 'a store cannot open its write-ahead log', file: 'wal-0', call: 'openat', isNew: false},
    {name: 'a store cannot read its write-ahead log', file: 'wal-0', call: 'read', isNew: false},
  ];
  for (const {name, file, call, isNew} of unreadable) {
    test(`is not called damaged when ${name}: the error is named, and nothing is lost`, async () => {
      const directory = isNew ? await makeDirectory() : await leaveUnclosed();
      const under = [...traceFile(join(directory, 'store', file), call), '-e', `inject=${call}:error=EIO:when=1`];
      const store = await startProcess({under});
      const failure = await failureOf(() => store.call('open', {directory}));
      assert.equal(failure.code, 'data-directory-unusable');
      assert.match('problem' in failure ? String(failure.problem) : '', /^EIO: i\/o error/);
      const again = await openStore(directory);
      assert.deepEqual(keysOf(await again.list(range())), isNew ? [] : ['a']);
    });
  }

  for (const part of ['store', 'lock']) {
    test(`opens, and takes writes, after any one write to its new file in ${part}/ failed at the very first start`, async () => {
      const failAt = async (count: number): Promise<void> => {
        const directory = await makeDirectory();
        const file = join(directory, part, 'data.mdb');
        const inject = `inject=pwrite64:error=EIO:when=${count}`;
        const under = [...STRACE, ...ONE_THREAD, '-o', '/dev/null', '-P', file, '-e', 'trace=pwrite64', '-e', inject];
        const first = await startProcess({under});
        // It may fail to open, to write, or to live: the engine ends the process at some failed writes.
        await first
          .call('open', {directory})
          .then(
            () => first.call('put', putOf('a', '1')),
            () => {},
          )
          .catch(() => {});
        await first[Symbol.asyncDispose]();

        const again = await openStore(directory);
        await write(again, put('b'));
        await again[Symbol.asyncDispose]();
      };
      await Promise.all(Array.from({length: FIRST_WRITES}, (_, index) => failAt(index + 1)));
    });
  }

  const unwrittenBlocks = [
    {name: 'be made', call: 'fdatasync', when: 1, acknowledged: 0},
    {name: 'take the first block', call: 'pwrite64', when: 2, acknowledged: 0},
    {name: 'take a later block', call: 'pwrite64', when: 4, acknowledged: 2},
    {name: 'sync the first block', call: 'fdatasync', when: 2, acknowledged: 0},
    {name: 'sync a later block', call: 'fdatasync', when: 4, acknowledged: 2},
  ];
  for (const {name, call, when, acknowledged} of unwrittenBlocks) {
    test(`acknowledges nothing any more once the write-ahead log cannot ${name}, and none of it is ever there`, async () => {
      const {directory, store} = await startFailing({file: 'wal-0', call, when: String(when)});
      const keys = ['gone', 'kept'];
      for (let index = 1; index <= acknowledged; index++) {
        await store.call('put', putOf(`acknowledged ${index}`, '1'));
        keys.unshift(`acknowledged ${index}`);
      }
      keys.sort();
      const {revision} = await store.call('changes', {after: 0});
      // Some share the block that fails, and others wait behind it.
      const refused = [
        store.call('delete', {key: 'gone'}),
        ...[1, 2, 3, 4, 5].map(index => store.call('put', putOf(`refused ${index}`, '1'))),
      ];
      for (const {code} of await failuresOf(refused)) assert.equal(code, 'store-read-only');
      assert.equal((await failureOf(() => store.call('put', putOf('later', '1')))).code, 'store-read-only');
      assert.deepEqual(await store.call('keys'), keys);
      assert.equal((await store.call('changes', {after: 0})).revision, revision);
      await store.call('close');

      const again = await startProcess();
      await again.call('open', {directory});
      assert.deepEqual(await again.call('keys'), keys);
      assert.equal((await again.call('changes', {after: 0})).revision, revision);
      assert.equal(await again.call('delete', {key: 'gone'}), 'deleted');
    });
  }

  for (const error of ['ENOSPC', 'EDQUOT', 'EIO']) {
    test(`is read-only at once when a record can be neither synced nor erased (${error}), and gives its revision once`, async () => {
      const {store, directory, revision} = await refuseUnsyncedRecord({error, takesBack: 'never'});
      assert.match(String(await store.call('readOnlyBecause')), /its record cannot be erased/);
      const refused = [store.call('put', putOf('later', '1')), store.call('delete', {key: 'kept'})];
      for (const {code} of await failuresOf(refused)) assert.equal(code, 'store-read-only');
      assert.deepEqual(await store.call('keys'), ['a', 'kept']);
      assert.equal((await failureOf(() => store.call('die'))).code, 'killed');

      const again = await openStore(directory);
      assert.equal(textOf(await read(again, 'a')), '1');
      // Unlike what was acknowledged it may be there or not. If it is, its revision is given to nothing else.
      const found = await changesOf(again, revision);
      assert.ok(
        found.length <= 1 && found.every(change => change.key === 'refused' && change.revision === revision + 1),
      );
      assert.equal((await write(again, put('later'))).revision, revision + found.length + 1);
    });
  }

  for (const error of ['ENOSPC', 'EDQUOT']) {
    test(`stays writable when a record cannot be synced (${error}) and is erased, and the record is never there`, async () => {
      const {store, directory, revision, failure} = await refuseUnsyncedRecord({error, takesBack: 'at-once'});
      assert.equal(failure.code, 'disk-full');
      assert.equal(await store.call('readOnlyBecause'), undefined);
      assert.equal(await store.call('put', putOf('later', '1')), revision + 1);
      assert.equal((await failureOf(() => store.call('die'))).code, 'killed');
      assert.deepEqual(keysOf(await (await openStore(directory)).list(range())), ['a', 'kept', 'later']);
    });
  }

  test('loses no acknowledged write to a refused one with the same revision in the other file of its log', async () => {
    const {store, directory} = await refuseUnsyncedRecord({error: 'ENOSPC', takesBack: 'later', large: 4});
    const outcome = await store.call('commit', {puts: largePuts(4)}).catch(({failure}) => failure.code);
    assert.equal((await failureOf(() => store.call('die'))).code, 'killed');
    const again = await openStore(directory);
    assert.equal(textOf(await read(again, 'large 3.0')), LARGE);
    assert.equal(textOf(await read(again, 'large 4.0')), outcome === 'store-read-only' ? undefined : LARGE);
  });

  test('erases a failed record at closing if the disk works again', async () => {
    const {store, directory, revision} = await refuseUnsyncedRecord({error: 'ENOSPC', takesBack: 'later'});
    await store.call('close');
    const again = await openStore(directory);
    assert.deepEqual(keysOf(await again.list(range())), ['a', 'kept']);
    assert.equal(again.revision, revision);
  });

  test('writes the last record of its log again before it shows it: before a kill its sync may have failed', async () => {
    const directory = await leaveUnclosed();
    const trace = join(await makeDirectory(), 'trace');
    const under = [...STRACE, '-o', trace, '-e', 'trace=openat,pwrite64,fdatasync'];
    const store = await startProcess({under});
    await store.call('open', {directory});
    await store[Symbol.asyncDispose]();
    const lines = completedCalls(await readFile(trace, 'utf8'));
    const wal = findNumber(lines, /openat\(.*\/store\/wal-0", O_RDWR.* = (\d+)$/);
    const written = lines.findIndex(line => line.startsWith(`pwrite64(${wal}, `) && line.includes('CRW2'));
    assert.ok(written >= 0 && lines.findIndex(line => line.startsWith(`fdatasync(${wal}`)) > written);
  });

  test('acknowledges a write only after its block is on the disk', async () => {
    const directory = await makeDirectory();
    const file = join(directory, 'trace');
    const calls = 'openat,fdatasync,pwrite64,writev,write';
    const store = await startProcess({under: [...STRACE, '-s', '64', '-o', file, '-e', `trace=${calls}`]});
    await store.call('open', {directory: join(directory, 'data')});
    const WRITES = 10;
    for (let index = 0; index < WRITES; index++) await store.call('put', {key: `key ${index}`, json: '1'});
    await store.call('close');
    await store[Symbol.asyncDispose]();

    const lines = completedCalls(await readFile(file, 'utf8'));
    const wal = findNumber(lines, WAL_FILE);
    // The first call opens the store, so the answer to the first write is number 2.
    const answers = Array.from({length: WRITES + 1}, (_, index) =>
      lines.findIndex(line => new RegExp(`write\\(3, .*id\\\\":${index + 1}[,}]`).test(line)),
    );
    for (let index = 1; index <= WRITES; index++) {
      const between = lines.slice(answers[index - 1], answers[index]);
      const written = between.findLastIndex(line => line.startsWith(`pwrite64(${wal}, `) && line.includes('CRW2'));
      const synced = between.findLastIndex(line => line.startsWith(`fdatasync(${wal}`) && line.endsWith('= 0'));
      assert.ok(written >= 0 && synced > written, `write ${index}:\n${between.join('\n')}`);
    }
  });
});

test.skipIf(!CAN_LIMIT)(
  'a store in a process with too few open files left is refused, or opens (needs prlimit)',
  async () => {
    const openWith = async (left: number): Promise<string> => {
      const directory = await makeDirectory();
      const store = await startProcess({under: ['prlimit', '--nofile=128']});
      await store.call('takeDescriptors', {left});
      const failure = await store.call('open', {directory}).catch(error => error.failure);
      await store[Symbol.asyncDispose]();
      assert.equal((await openStore(directory)).revision, 0);
      return failure === undefined ? 'opens' : failure.code;
    };
    // The last one is enough for any directory: those above it are synced at once.
    const numbers = [...Array.from({length: 12}).keys(), 60];
    const outcomes = await Promise.all(numbers.map(openWith));
    assert.deepEqual(outcomes, outcomes.toSorted());
    assert.deepEqual(new Set(outcomes), new Set(['data-directory-unusable', 'opens']));
  },
);

/** A directory whose process was killed, with the entry a in its write-ahead log. */
async function leaveUnclosed(): Promise<string> {
  const directory = await makeDirectory();
  const store = await startProcess();
  await store.call('open', {directory});
  await store.call('put', putOf('a', '1'));
  await store.kill();
  return directory;
}

/** Five groups of such values do not fit into one file of the log. */
const LARGE = JSON.stringify('x'.repeat(60_000));

function largePuts(group: number, length = 4) {
  return Array.from({length}, (_, index) => putOf(`large ${group}.${index}`, LARGE));
}

interface UnsyncedRecord {
  readonly error: string;
  readonly takesBack: 'at-once' | 'later' | 'never';
  /** How many large groups are acknowledged before. @default {0} */
  readonly large?: number;
}

/** A store whose last record is in its log, and refused, since it could not be synced and, at first, not be erased. */
async function refuseUnsyncedRecord({error, takesBack, large = 0}: UnsyncedRecord) {
  const directory = await makeDirectory();
  const first = await openStore(directory);
  await write(first, put('kept'));
  await first[Symbol.asyncDispose]();
  const records = 1 + large;
  const more = takesBack === 'never' ? '+' : '';
  // The file is written and synced once to make it, then once for each record, and once to take the last one back.
  const under = [
    ...traceFile(join(directory, 'store', 'wal-0'), 'fdatasync,pwrite64'),
    ...['-e', `inject=fdatasync:error=${error}:when=${records + 2}`],
    ...(takesBack === 'at-once' ? [] : ['-e', `inject=pwrite64:error=${error}:when=${records + 3}${more}`]),
  ];
  const store = await startProcess({under});
  await store.call('open', {directory});
  for (let group = 0; group < large; group++) await store.call('commit', {puts: largePuts(group)});
  const revision = await store.call('put', putOf('a', '1'));
  const failure = await failureOf(() => store.call('put', putOf('refused', '1')));
  return {store, directory, revision, failure};
}

/** A tracer that sees calls of one kind on one file, to which what happens to them is appended. */
function traceFile(path: string, call: string): readonly string[] {
  return [...STRACE, ...ONE_THREAD, '-o', '/dev/null', '-P', path, '-e', `trace=${call}`];
}

interface Failing {
  readonly file: string;
  readonly call: string;
  /** @default {'EIO'} */
  readonly error?: string;
  /** Which calls fail, as strace takes it: to open what is there takes none. */
  readonly when: string;
}

/** A store with the entries gone and kept, in a process in which calls fail. */
async function startFailing({file, call, error = 'EIO', when}: Failing) {
  const directory = await makeDirectory();
  const first = await openStore(directory);
  await write(first, put('gone'), put('kept'));
  await first[Symbol.asyncDispose]();
  const store = await startProcess({
    under: [
      ...[...STRACE, ...ONE_THREAD, '-o', '/dev/null', '-P', join(directory, 'store', file)],
      ...['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${when}`],
    ],
  });
  await store.call('open', {directory});
  return {directory, store};
}

function putOf(key: string, json: string) {
  return {key, json};
}

async function walFilesOf(directory: string): Promise<readonly string[]> {
  return (await readdir(join(directory, 'store'))).filter(name => name.startsWith('wal-')).sort();
}

interface FailedStore {
  readonly store: StoreProcess;
  readonly directory: string;
  /** How many writes were acknowledged before. */
  readonly acknowledged: number;
  readonly failure: {readonly code: string};
}

/** Writes one key again and again to a store whose n-th call of a kind fails. */
async function writeUntilFailure(file: string, call: string, count: number): Promise<FailedStore> {
  const directory = await makeDirectory();
  const tracer = [...STRACE, ...ONE_THREAD, '-o', '/dev/null', '-P', join(directory, 'store', file)];
  const store = await startProcess({
    under: [...tracer, '-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=${count}`],
  });
  let acknowledged = 0;
  const failure = await failureOf(async () => {
    await store.call('open', {directory});
    for (; acknowledged < WRITES_MAX; acknowledged++) {
      await store.call('putWhileReading', {key: 'a', json: String(acknowledged + 1)});
    }
  });
  assert.ok(acknowledged > 0, 'the failure came too early to show anything');
  return {store, directory, acknowledged, failure};
}

/** Judges a process after a failure; it is false if the failure ended the process, and a later end of it is thrown. */
async function isReadOnly({store, acknowledged, failure}: FailedStore): Promise<boolean> {
  if (failure.code === 'killed') return false;
  assert.equal(failure.code, 'store-read-only');
  // The reads come while the store is being opened for reading.
  const reads = [store.call('get', {key: 'a'}), store.call('keys')];
  assert.deepEqual(await Promise.all(reads), [String(acknowledged), ['a']]);
  assert.deepEqual(await failureOf(() => store.call('put', {key: 'b', json: '1'})), failure);
  assert.deepEqual(await failureOf(() => store.call('delete', {key: 'a'})), failure);
  assert.equal(await store.call('readOnlyBecause'), 'problem' in failure && failure.problem);
  assert.deepEqual(await store.call('keys'), ['a']);
  await store.call('close');
  return true;
}

/** A write that was under way at a process's end may be there, that of a process which refused it may not. */
async function assertOpensAgain({directory, acknowledged, failure}: FailedStore): Promise<void> {
  const wasRefused = failure.code === 'store-read-only';
  const again = await startProcess();
  await again.call('open', {directory});
  const written = Number(await again.call('get', {key: 'a'}));
  assert.ok(written === acknowledged || (!wasRefused && written === acknowledged + 1), `${written} of ${acknowledged}`);
  assert.equal(await again.call('put', {key: 'b', json: '1'}), written + 1);
}

async function failureOf(run: () => Promise<unknown>): Promise<{readonly code: string}> {
  try {
    await run();
  } catch (error) {
    if (error instanceof ProcessFailure) return error.failure;
    throw error;
  }
  return assert.fail('nothing failed');
}

/** Returns the failures of concurrent calls. */
function failuresOf(calls: readonly Promise<unknown>[]): Promise<readonly {readonly code: string}[]> {
  return Promise.all(calls.map(call => failureOf(() => call)));
}

/** The calls of a trace in the order in which they were completed, without the threads that made them. */
function completedCalls(trace: string): readonly string[] {
  const begun = new Map<string, string>();
  const calls: string[] = [];
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(text);
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    if (unfinished !== null) begun.set(thread, unfinished[1] ?? '');
    else calls.push(resumed === null ? text : `${begun.get(thread)}${resumed[1]}`);
  }
  return calls;
}

function findNumber(lines: readonly string[], pattern: RegExp): string {
  // The last one: the engine opens its file several times.
  return (
    lines.map(line => pattern.exec(line)?.[1]).findLast(found => found !== undefined) ?? assert.fail(String(pattern))
  );
}
