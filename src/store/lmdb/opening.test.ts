import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, describe, expect, onTestFinished, test} from 'vitest';
import {compileRefusals} from '../../../test/support/refusals.ts';
import {CAN_LIMIT, CAN_TRACE, makeDirectory, openStore, startProcess} from '../../../test/support/store-fixture.ts';
import {describeDataDirectory} from '../disk/data-directory.ts';
import {assertCanOpen, OpeningError} from './opening-limits.ts';
import {findHolder} from './process-lock.ts';

const REFUSALS = compileRefusals();

afterAll(() => REFUSALS?.[Symbol.dispose]());

/** Refusals of a file system or of a preloaded library, and the failure of each. */
const REFUSED = [
  {
    what: 'locks',
    problem: /file system \(\w+\), or the library that LD_PRELOAD names, does not allow the record locks/,
  },
  {what: 'maps', problem: /does not allow the record locks and shared maps .*a process that tried was ended by SIG/},
  {what: 'locks nfs', problem: /its file system \(\w+\) does not allow the record locks and shared maps/},
  {what: 'maps nfs', problem: /its file system \(\w+\) does not allow the record locks and shared maps/},
  {what: 'hang nfs', problem: /a process that tried did not end within 10 seconds/},
];

describe.skipIf(REFUSALS === undefined)('where the engine is refused what it needs (needs a C compiler)', () => {
  for (const {what, problem} of REFUSED) {
    test(`opening a store and looking for its holder are failures with their cause: ${what}`, async () => {
      const process = await startProcess({environment: REFUSALS?.environment(what) ?? {}});
      const assertRefused = (calling: Promise<unknown>, directory: string): Promise<void> =>
        assert.rejects(calling, ({failure}) => {
          expect(failure).toMatchObject({
            code: 'data-directory-unusable',
            directory,
            problem: expect.stringMatching(problem),
          });
          return true;
        });
      const absent = await makeDirectory();
      const there = await makeDirectory();
      await (await openStore(there))[Symbol.asyncDispose]();
      await assertRefused(process.call('open', {directory: absent}), absent);
      await assertRefused(process.call('findHolder', {directory: there}), there);
      // Nothing is left that keeps the directory from being used elsewhere.
      assert.equal((await openStore(absent)).revision, 0);
    });
  }

  test('a store opens on a file system that is not known, if it allows everything', async () => {
    const directory = await makeDirectory();
    const process = await startProcess({environment: REFUSALS?.environment('nfs') ?? {}});
    await process.call('open', {directory});
    assert.equal(await process.call('put', {key: 'a', json: '1'}), 1);
    // Also while it is open: the attempt of another process gives no lock up.
    assert.equal(await process.call('findHolder', {directory}), process.processId);
    await assert.rejects(openStore(directory), {failure: inUse(directory, process.processId)});
    assert.equal(await findHolder(describeDataDirectory(directory)), process.processId);
  });

  const holdings = [
    {times: 3, outcome: /^$/},
    {times: 1000, outcome: /lock\/lock\.mdb cannot be opened for reading and writing \(EBUSY\); another program/},
  ];
  for (const {times, outcome} of holdings) {
    test(`Windows waits for a program that holds lock.mdb ${times} times, for two seconds at most`, async () => {
      const directory = await makeDirectory();
      await (await openStore(directory))[Symbol.asyncDispose]();
      const process = await startProcess({environment: REFUSALS?.environment('held', times) ?? {}});
      const opened = process.call('assertOpensOnWindows', {directory: join(directory, 'lock')});
      const message = await opened.then(
        () => '',
        ({failure}) => failure.message,
      );
      assert.match(message, outcome);
    });
  }
});

describe('where an environment cannot be opened', () => {
  const limits = [5_000_000_000, 6_000_000_000, 8_192_000_000, 9_000_000_000];
  for (const limit of limits) {
    test.skipIf(!CAN_LIMIT)(
      `a process with ${limit} bytes of address space is refused with its cause (needs prlimit)`,
      async () => {
        const directory = await makeDirectory();
        const process = await startProcess({under: ['prlimit', `--as=${limit}`]});
        await assert.rejects(process.call('open', {directory}), ({failure}) => {
          expect(failure).toMatchObject({code: 'data-directory-unusable', directory});
          expect(failure.problem).toMatch(
            /^the address space of this process is limited to [\d.]+ GiB \(ulimit -v\), of which/,
          );
          return true;
        });
        assert.equal((await openStore(directory)).revision, 0);
      },
    );
  }

  for (const name of ['data.mdb', 'lock.mdb']) {
    for (const platform of ['linux', 'win32'] as const) {
      test(`${name} that is a directory is named (${platform})`, async () => {
        const directory = await makeDirectory();
        await mkdir(join(directory, name));
        assert.throws(
          () => assertCanOpen({directory, readOnly: false}, platform),
          (error: Error) => error instanceof OpeningError && error.message.startsWith(join(directory, name)),
        );
      });
    }
  }

  test('a path that is too long for the engine on Windows is refused with its length', () => {
    const of = (length: number): string => `/${'d'.repeat(length - '//data.mdb'.length)}`;
    const open = (length: number) => assertCanOpen({directory: of(length), readOnly: false}, 'win32');
    assert.throws(
      () => open(260),
      (error: Error) => error instanceof OpeningError && /have 260 characters.*up to 259/.test(error.message),
    );
    open(259);
  });

  test('the holder of a lock whose lock.mdb is no file is not looked for', async () => {
    const directory = await makeDirectory();
    await (await openStore(directory))[Symbol.asyncDispose]();
    await rm(join(directory, 'lock', 'lock.mdb'));
    await mkdir(join(directory, 'lock', 'lock.mdb'));
    await assert.rejects(findHolder(describeDataDirectory(directory)), ({failure}) => {
      expect(failure).toMatchObject({code: 'data-directory-unusable', directory});
      return true;
    });
  });
});

/** Holds a lock on a file, as a backup may, until the end of its input. Node has no such locks. */
const HOLD =
  'import fcntl,sys; f=open(sys.argv[1],"r+b"); fcntl.lockf(f,fcntl.LOCK_EX); print("held",flush=True); sys.stdin.read()';

const CAN_HOLD = process.platform === 'linux' && spawnSync('python3', ['-c', 'import fcntl']).status === 0;

test.skipIf(!CAN_HOLD)('a program with a lock on lock.mdb is waited for, and then named (needs Python)', async () => {
  const directory = await makeDirectory();
  await (await openStore(directory))[Symbol.asyncDispose]();
  const file = join(directory, 'lock', 'lock.mdb');
  const holder = spawn('python3', ['-c', HOLD, file], {stdio: ['pipe', 'pipe', 'inherit']});
  onTestFinished(() => void holder.kill());
  await once(holder.stdout, 'data');
  const refused = await startProcess();
  const problem = `process ${holder.pid} has a lock on ${file}; end it, and try again`;
  const failure = {code: 'data-directory-unusable', directory, problem};
  await assert.rejects(refused.call('open', {directory}), {failure});
  await assert.rejects(refused.call('findHolder', {directory}), {failure});
  const opening = refused.call('open', {directory});
  holder.stdin.end();
  await opening;
});

test.skipIf(!CAN_TRACE)('on a known file system a store opens without another process (needs strace)', async () => {
  const trace = join(await makeDirectory(), 'trace');
  const directory = await makeDirectory();
  const store = await startProcess({under: ['strace', '-f', '-o', trace, '-e', 'trace=execve']});
  await store.call('open', {directory});
  await store.call('close');
  await store[Symbol.asyncDispose]();
  assert.equal((await readFile(trace, 'utf8')).match(/execve\(/g)?.length, 1);
});

test.skipIf(!CAN_TRACE)(
  'no process closes a descriptor of lock.mdb while the store is open in it (needs strace)',
  async () => {
    const trace = join(await makeDirectory(), 'trace');
    const directory = await makeDirectory();
    const store = await startProcess({under: ['strace', '-f', '-y', '-o', trace, '-e', 'trace=close,write']});
    await store.call('open', {directory});
    await assert.rejects(store.call('open', {directory}));
    await store.call('findHolder', {directory});
    await store.call('put', {key: 'a', json: '1'});
    await store.call('die').catch(() => {});
    await store[Symbol.asyncDispose]();
    assert.doesNotMatch(await readFile(trace, 'utf8'), /close\(\d+<[^>]*lock\.mdb/);
  },
);

function inUse(directory: string, processId: number): object {
  return {code: 'data-directory-in-use', directory, processId};
}
