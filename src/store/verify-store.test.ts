import assert from 'node:assert/strict';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {parseKey} from '../core/domain/entries/identifiers.ts';
import {SILENT_LOG} from '../core/domain/log.ts';
import {encodeJsonText} from '../core/json/json-text.ts';
import {encodeChangeLogKey} from './format/change-log-record.ts';
import {openLmdbStore} from './lmdb-store.ts';
import {type Verification, verifyStore} from './verify-store.ts';

const PAGE_BYTES = 4096;
/** Number of trials of each property: each starts a process. */
const VERIFICATIONS = 12;
const SOUND = {
  ...{corruptKeys: [], lostEntries: 0, damage: [], damagedChanges: 0, wrongExpiries: 0},
  ...{uncheckpointedChanges: 0, walDamage: undefined, storeIdDamaged: false},
  ...{harmlessWalDamage: undefined, walMissing: false},
};
let directory: string;
let file: string;
let sound: Buffer;
let entries = 0;
/** Revision of the deletion, after three commits of puts. */
const LAST_REVISION = 4;

function nameOf(index: number): string {
  return `key-${String(index).padStart(5, '0')}`;
}

/** Returns the unique beginning of an entry's value. */
function markOf(index: number): string {
  return `MARK-${index}.`;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crewroom-verify-'));
  file = join(directory, 'store', 'data.mdb');
  // The log forgets all values but the last: what is damaged below is to be entries.
  await using store = await openLmdbStore({directory, nowMs: Date.now, log: SILENT_LOG, logBytesMax: 0});
  // Small values and such that need pages of their own, overwritten and deleted, so that pages are freed and used again.
  for (let round = 0; round < 3; round++) {
    const operations = Array.from({length: 2000}, (_, index) => {
      const length = index % 100 === 0 ? 10_000 + round * 3000 : 100 + round;
      const value = `${markOf(index)}${'v'.repeat(length)}`;
      return {kind: 'put', key: parseKey(nameOf(index)), json: encodeJsonText(JSON.stringify(value))} as const;
    });
    await store.commit({checks: [], operations});
  }
  const deleted = Array.from(
    {length: 100},
    (_, index) => ({kind: 'delete', key: parseKey(nameOf(index * 7))}) as const,
  );
  await store.commit({checks: [], operations: deleted});
  entries = 1900;
});
beforeAll(async () => {
  sound = await readFile(file);
});
afterAll(() => rm(directory, {recursive: true, force: true}));

/** Verifies the store with its file changed. */
async function verifyChanged(change: (bytes: Buffer) => void): Promise<Verification> {
  const bytes = Buffer.from(sound);
  change(bytes);
  await writeFile(file, bytes);
  try {
    return await verifyStore(directory);
  } finally {
    await writeFile(file, sound);
  }
}

function isHealthy({corruptKeys, lostEntries, damage, damagedChanges}: Verification): boolean {
  return corruptKeys.length === 0 && lostEntries === 0 && damage.length === 0 && damagedChanges === 0;
}

/** Lets each entry of a branch of the tree (mdb.c, MDB_page) refer to the page of its first one. */
function repeatFirstChild(page: Buffer): void {
  const [header, flagsAt, lowerAt, branch] = [24, 18, 20, 1];
  if (page.readUInt16LE(flagsAt) !== branch) return;
  const nodeAt = (index: number): number => header + page.readUInt16LE(header + index * 2);
  const count = page.readUInt16LE(lowerAt) / 2;
  for (let index = 1; index < count; index++) page.copy(page, nodeAt(index), nodeAt(0), nodeAt(0) + 6);
}

/** All places where a value begins: in the page that is in use, and in others that were. */
function placesOf(index: number): readonly number[] {
  return findAll(Buffer.from(markOf(index)));
}

/** All places where the key of the last log record begins; its length stands before it. */
function logKeyPlaces(): readonly number[] {
  const places = findAll(Buffer.concat([Buffer.of(8, 0), encodeChangeLogKey(LAST_REVISION)]));
  assert.notEqual(places.length, 0);
  return places.map(at => at + 2);
}

function findAll(wanted: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = sound.indexOf(wanted); at !== -1; at = sound.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

describe('verifyStore()', () => {
  test('reads every entry of an intact store', async () => {
    assert.deepEqual(await verifyStore(directory), {entries, ...SOUND});
  });

  test('finds nothing in a store that was never written to', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'crewroom-verify-'));
    await (await openLmdbStore({directory: empty, nowMs: Date.now, log: SILENT_LOG}))[Symbol.asyncDispose]();
    assert.deepEqual(await verifyStore(empty), {entries: 0, ...SOUND});
    await rm(empty, {recursive: true});
  });

  test('reports its progress', async () => {
    const seen: number[] = [];
    await verifyStore(directory, {onProgress: checked => seen.push(checked)});
    assert.equal(seen.length, entries);
    assert.equal(seen.at(-1), entries);
  });

  test('ends when its signal is aborted', async () => {
    const reason = new Error('enough');
    await assert.rejects(verifyStore(directory, {signal: AbortSignal.abort(reason)}), reason);
  });

  test('names the one entry whose value has a flipped bit', async () => {
    const found = await verifyChanged(bytes => {
      for (const at of placesOf(1501)) bytes[at] = (bytes[at] ?? 0) ^ 1;
    });
    assert.deepEqual(found, {entries, ...SOUND, corruptKeys: [nameOf(1501)]});
  });

  test('names the one entry whose large value is gone', async () => {
    const found = await verifyChanged(bytes => {
      for (const at of placesOf(1500)) bytes.fill(0, Math.floor(at / PAGE_BYTES) * PAGE_BYTES, at + 100);
    });
    assert.deepEqual(found, {entries, ...SOUND, corruptKeys: [nameOf(1500)]});
  });

  test('counts the entries that the engine cannot read, and continues with the other tables', async () => {
    const pages = placesOf(1501).map(at => Math.floor(at / PAGE_BYTES));
    const found = await verifyChanged(bytes => {
      for (const page of pages) bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    });
    assert.ok(found.lostEntries > 1);
    assert.equal(found.entries + found.lostEntries, entries);
    assert.deepEqual([found.damage.length, found.damagedChanges, found.storeIdDamaged], [1, 0, false]);
    assert.match(found.damage[0] ?? '', /^table "entries": /);
    assert.deepEqual(found.corruptKeys, []);
  });

  test('ends where pages refer to each other in a circle', async () => {
    // A branch whose second child is its first one again: key, and number of the page instead of size and flags.
    const found = await verifyChanged(bytes => {
      for (let page = 2; page < bytes.length / PAGE_BYTES; page++) repeatFirstChild(bytes.subarray(page * PAGE_BYTES));
    });
    assert.match(found.damage[0] ?? '', /^table "entries": its keys are not in order$/);
    assert.ok(found.entries < entries);
  });

  for (const {name, bit} of [
    {name: 'has no length', bit: {at: -2, mask: 8}},
    {name: 'is longer than it was', bit: {at: -1, mask: 1}},
    {name: 'names a revision that there is not', bit: {at: 4, mask: 1}},
    {name: 'names a revision that there can never be', bit: {at: 0, mask: 0x80}},
  ]) {
    test(`counts the change whose key ${name}`, async () => {
      const found = await verifyChanged(bytes => {
        for (const at of logKeyPlaces()) bytes[at + bit.at] = (bytes[at + bit.at] ?? 0) ^ bit.mask;
      });
      assert.ok(found.damagedChanges > 0 || found.damage.length > 0);
      assert.deepEqual([found.entries, found.corruptKeys], [entries, []]);
    });
  }

  for (const [name, parameters] of [
    ['never accepts a store with a lost page as intact, and never fails', {numRuns: VERIFICATIONS}],
    // By this seed a page is in the place of a newer one.
    [
      'finds entries that were deleted in a page that is older than the others',
      {seed: -1_033_043_018, path: '8', numRuns: 1},
    ],
  ] as const)
    test(name, async () => {
      const pages = sound.length / PAGE_BYTES;
      const page = fc.integer({min: 2, max: pages - 1});
      const damage = fc.oneof(
        fc.constant(Buffer.alloc(PAGE_BYTES)),
        fc.uint8Array({minLength: PAGE_BYTES, maxLength: PAGE_BYTES}).map(bytes => Buffer.from(bytes)),
        fc.integer({min: 2, max: pages - 1}).map(other => sound.subarray(other * PAGE_BYTES, (other + 1) * PAGE_BYTES)),
      );
      await fc.assert(
        fc.asyncProperty(page, damage, async (at, bytes) => {
          const found = await verifyChanged(copy => copy.set(bytes, at * PAGE_BYTES));
          // A page that is in no use may hold anything.
          assert.equal(isHealthy(found) ? found.entries : entries, entries);
        }),
        parameters,
      );
    });

  test('never fails at a flipped bit, wherever it is', async () => {
    const place = fc.integer({min: 2 * PAGE_BYTES, max: sound.length - 1});
    await fc.assert(
      fc.asyncProperty(place, fc.integer({min: 0, max: 7}), async (at, bit) => {
        const found = await verifyChanged(copy => {
          copy[at] = (copy[at] ?? 0) ^ (1 << bit);
        });
        assert.equal(isHealthy(found) ? found.entries : entries, entries);
      }),
      {numRuns: VERIFICATIONS},
    );
  });
});
