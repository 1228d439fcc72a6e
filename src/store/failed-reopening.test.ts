import assert from 'node:assert/strict';
import {constants} from 'node:os';
import {describe, expect, test} from 'vitest';
import {keysOf, put, range, read, textOf, write} from '../../test/contracts/shared/assertions.ts';
import {makeDirectory} from '../../test/support/store-fixture.ts';
import type {Store} from '../core/domain/commits/store.ts';
import {SILENT_LOG} from '../core/domain/log.ts';
import type {FailureCode} from '../core/failures/failure.ts';
import {LMDB} from './lmdb/engine.ts';
import type {LmdbEnvironment} from './lmdb/environment.ts';
import {openLmdbStore} from './lmdb-store.ts';

/** The calls that fail once the store is open. */
interface Failing {
  /** Error number of the next write to the tree. */
  write?: number | undefined;
  /** Number of times that the files cannot be opened. */
  openings: number;
  /** True if the engine cannot be closed. */
  closing?: boolean;
}

/** Opens a store on LMDB, parts of which fail on demand. */
async function openFailing(directory: string): Promise<{readonly store: Store; readonly failing: Failing}> {
  const failing: Failing = {openings: 0};
  const wrap = (environment: LmdbEnvironment): LmdbEnvironment => ({
    table: name => environment.table(name),
    tables: names => environment.tables(names),
    snapshot: () => environment.snapshot(),
    write: async run => {
      if (failing.write !== undefined) throw Object.assign(new Error('the disk fails'), {code: failing.write});
      return environment.write(run);
    },
    writeAndWait: run => environment.writeAndWait(run),
    holdReader: () => environment.holdReader(),
    liveReaders: () => environment.liveReaders(),
    [Symbol.asyncDispose]: async () => {
      await environment[Symbol.asyncDispose]();
      if (failing.closing) throw new Error('the engine fails to close');
    },
  });
  const store = await openLmdbStore({
    ...{directory, nowMs: Date.now, log: SILENT_LOG},
    engine: {
      ...LMDB,
      openEnvironment: async options => wrap(await LMDB.openEnvironment(options)),
      reopenEnvironment: options => {
        if (failing.openings-- > 0) throw Object.assign(new Error('EMFILE: too many open files'), {code: 'EMFILE'});
        return wrap(LMDB.reopenEnvironment(options));
      },
    },
  });
  return {store, failing};
}

/** Writes values that go into the tree at once. */
function writeLarge(store: Store): Promise<unknown> {
  const json = JSON.stringify('x'.repeat(60_000));
  return write(store, ...Array.from({length: 8}, (_, index) => put(`large ${index}`, json)));
}

async function codeOf(run: Promise<unknown>): Promise<FailureCode> {
  return run.then(
    () => assert.fail('nothing failed'),
    error => error.failure.code,
  );
}

const {EIO, ENOSPC} = constants.errno;

describe('a store whose tree failed to write', () => {
  const cases = [
    {name: 'is read-only if it can be opened for reading only', write: ENOSPC, openings: 1},
    {name: 'is readable again once its files can be opened', write: EIO, openings: 1},
    {name: 'is readable again after a full disk, once its files can be opened', write: ENOSPC, openings: 2},
    {name: 'is readable if its engine cannot be closed', write: EIO, openings: 0, closing: true},
  ];
  for (const {name, ...faults} of cases)
    test(name, async () => {
      const directory = await makeDirectory();
      const {store, failing} = await openFailing(directory);
      await write(store, put('a', '1'));
      Object.assign(failing, faults);
      expect(await codeOf(writeLarge(store))).toBe('store-read-only');
      expect(failing.openings).toBeLessThanOrEqual(0);
      Object.assign(failing, {write: undefined, closing: false});
      expect(textOf(await read(store, 'a'))).toBe('1');
      expect(keysOf(await store.list(range()))).toEqual(['a']);
      expect(await codeOf(write(store, put('b')))).toBe('store-read-only');
      await store[Symbol.asyncDispose]().catch(() => {});
    });

  test('refuses writes as read-only while nothing can be read', async () => {
    const {store, failing} = await openFailing(await makeDirectory());
    await write(store, put('a', '1'));
    Object.assign(failing, {write: EIO, openings: 3});
    expect(await codeOf(writeLarge(store))).toBe('store-read-only');
    expect(await codeOf(read(store, 'missing'))).toBe('unavailable');
    expect(await codeOf(write(store, put('b')))).toBe('store-read-only');
    failing.openings = 0;
    expect(await read(store, 'missing')).toBeUndefined();
    await store[Symbol.asyncDispose]();
  });

  test('takes writes again after a full disk', async () => {
    const {store, failing} = await openFailing(await makeDirectory());
    failing.write = ENOSPC;
    expect(await codeOf(writeLarge(store))).toBe('disk-full');
    failing.write = undefined;
    await writeLarge(store);
    expect(keysOf(await store.list(range())).length).toBe(8);
    await store[Symbol.asyncDispose]();
  });
});
