import {describe, expect, test} from 'vitest';
import {parseKey} from '../src/domain/entries/key.ts';
import {DEFAULT_LIMITS} from '../src/domain/limits.ts';
import {readTransaction} from '../src/protocol/transaction/read-transaction.ts';
import {createEntryService} from '../src/service/entry-service.ts';
import {openMemoryStore} from '../src/store/memory/memory-store.ts';
import {useService} from './support/service.ts';

const service = useService();
/** An event loop whose ticks do not include waiting for a disk. */
const ephemeral = useService({ephemeral: true});
const MEBIBYTE = 1024 * 1024;

/** An object with this many members of five to ten bytes. */
function members(count: number, value: number): string {
  return `{${Array.from({length: count}, (_, index) => `"m${index}":${value}`).join(',')}}`;
}

/** An array of this many bytes, with as many elements as fit. */
function brackets(sizeBytes: number): string {
  return `[${'[],'.repeat(Math.floor(sizeBytes / 3) - 1)}0]`;
}

/** Returns the share of an action's CPU time that its longest tick of the event loop takes: 1 for all of it. */
async function findLongestTick(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let over = false;
  const begin = process.cpuUsage();
  let before = begin;
  const tick = (): void => {
    longest = Math.max(longest, sum(process.cpuUsage(before)));
    before = process.cpuUsage();
    if (!over) setImmediate(tick);
  };
  await new Promise(resolve => setImmediate(resolve));
  setImmediate(tick);
  await work();
  over = true;
  // The last step may have left no tick behind it.
  longest = Math.max(longest, sum(process.cpuUsage(before)));
  return longest / sum(process.cpuUsage(begin));
}

/** Counts the ticks of the event loop during an action. */
async function countTicks(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  let over = false;
  const tick = (): void => {
    ticks++;
    if (!over) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  over = true;
  return ticks;
}

function sum({user, system}: NodeJS.CpuUsage): number {
  return user + system;
}

describe('the event loop keeps ticking (B5, B11)', () => {
  test('while the document of a transaction is read', async () => {
    let pauses = 0;
    const value = brackets(MEBIBYTE);
    const operations = Array.from({length: 8}, (_, index) => `{"kind":"put","key":"${index}","value":${value}}`);
    await readTransaction(Buffer.from(`{"operations":[${operations}]}`), {
      limits: DEFAULT_LIMITS,
      pause: async () => void pauses++,
    });
    expect(pauses).toBeGreaterThanOrEqual(31);
  });

  test('while the document of a transaction with a text beyond ASCII is read: its names are few', async () => {
    const value = 'é'.repeat(4 * MEBIBYTE - 100);
    const body = Buffer.from(`{"operations":[{"kind":"put","key":"k","value":"${value}"}]}`);
    const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
    const shares: number[] = [];
    // A run takes some 15 ms; the first ones also take the time to compile the reader and to collect garbage of the test.
    for (let run = 0; run < 5; run++)
      shares.push(await findLongestTick(() => readTransaction(body, {limits: DEFAULT_LIMITS, pause})));
    expect(Math.min(...shares)).toBeLessThan(0.4);
  });

  test('while the values of a transaction are checked, whose bytes the caller may reuse at once', async () => {
    let pauses = 0;
    const store = openMemoryStore({nowMs: Date.now});
    const entries = createEntryService({store, pause: async () => void pauses++});
    const json = Buffer.from(brackets(MEBIBYTE));
    const operations = Array.from({length: 7}, (_, index) => ({kind: 'put', key: `large-${index}`, json}) as const);
    const transacted = entries.transact({operations});
    json.fill(0x78);
    await transacted;
    expect(pauses).toBe(7);
    for (const {key} of operations)
      expect(Buffer.from((await store.get(parseKey(key)))?.json ?? '').toString()).toBe(brackets(MEBIBYTE));
  });

  test('while a transaction patches one large value after another', async () => {
    const {entries} = service().crewroom;
    const keys = Array.from({length: 7}, (_, index) => `patched-${index}`);
    for (const key of keys) await entries.put(key, members(80_000, 1));
    const operations = keys.map(key => ({kind: 'patch', key, patch: '{"new":1}'}) as const);
    expect(await findLongestTick(() => entries.transact({operations}))).toBeLessThan(0.5);
    for (const key of keys) expect((await entries.get(key))?.text).toMatch(/"m79999":1,"new":1\}$/);
  });

  test('while a transaction has many large patches', async () => {
    const {entries} = service().crewroom;
    const patch = members(10_000, 1);
    const count = Math.floor((7 * MEBIBYTE) / patch.length);
    const operations = Array.from({length: count}, (_, index) => ({kind: 'patch', key: `${index}`, patch}) as const);
    expect(await findLongestTick(() => entries.transact({operations}))).toBeLessThan(0.3);
  });

  test('while many concurrent patches are applied as one group, each to the result of the previous one', async () => {
    const {entries} = service().crewroom;
    await entries.put('grouped', members(80_000, 0));
    const patchAll = (): Promise<unknown> =>
      Promise.all(Array.from({length: 8}, (_, index) => entries.patch('grouped', `{"new ${index}":${index}}`)));
    expect(await findLongestTick(patchAll)).toBeLessThan(0.5);
    expect((await entries.get('grouped'))?.text).toMatch(/"new 0":0,"new 1":1,.*"new 7":7\}$/);
  });

  test('while one patch changes an object of 90,000 members', async () => {
    const {entries} = ephemeral().crewroom;
    await entries.put('one', members(90_000, 0));
    expect(await countTicks(() => entries.patch('one', members(10_000, 1)))).toBeGreaterThan(20);
    expect((await entries.get('one'))?.text).toMatch(/^\{"m0":1,.*"m9999":1,"m10000":0,.*"m89999":0\}$/);
  });

  test('while one patch changes many nested objects', async () => {
    const {entries} = ephemeral().crewroom;
    const nested = (count: number, value: number): string =>
      `{${Array.from({length: count}, (_, index) => `"m${index}":{"a":${value},"b":0}`).join(',')}}`;
    await entries.put('nested', nested(40_000, 0));
    expect(await countTicks(() => entries.patch('nested', nested(3000, 1)))).toBeGreaterThan(10);
    expect((await entries.get('nested'))?.text).toContain('"m2999":{"a":1,"b":0},"m3000":{"a":0,"b":0}');
  });

  test('while patches of many entries are merged, and concurrent writes wait for them', async () => {
    const {entries} = ephemeral().crewroom;
    const keys = Array.from({length: 7}, (_, index) => `several-${index}`);
    for (const key of keys) await entries.put(key, members(80_000, 0));
    const operations = keys.map(key => ({kind: 'patch', key, patch: '{"m79999":1}'}) as const);
    let committed: readonly {readonly revision: number}[] = [];
    const ticks = await countTicks(async () => {
      committed = await Promise.all([
        entries.transact({operations}),
        entries.put('several-0', '"after"'),
        entries.patch('several-1', '{"m79999":null,"last":2}'),
      ]);
    });
    expect(ticks).toBeGreaterThan(50);
    const [first = 0, ...later] = committed.map(({revision}) => revision);
    expect(later).toEqual([first + 1, first + 2]);
    expect((await entries.get('several-0'))?.text).toBe('"after"');
    expect((await entries.get('several-1'))?.text).toMatch(/"m79998":0,"last":2\}$/);
  });

  test('while a single long line of an import is read', async () => {
    const {entries, transfer} = ephemeral().crewroom;
    const value = `[${'[],'.repeat(300_000)}0]`;
    const text = JSON.stringify(value).replaceAll('[', '\\u005b');
    const lines = `{"format":"crewroom-export","version":1}\n{"key":"line","text":${text}}\n{"end":true,"entries":1}\n`;
    expect(await countTicks(() => transfer.import([Buffer.from(lines)]))).toBeGreaterThan(5);
    expect((await entries.get('line'))?.text).toBe(value);
  });

  test('while the lines of an import are read, however many arrive at once', async () => {
    const {transfer} = service().crewroom;
    const chunks = [Buffer.from('\n'.repeat(4 * MEBIBYTE))];
    const share = await findLongestTick(() => expect(transfer.import(chunks)).rejects.toThrow('missing'));
    expect(share).toBeLessThan(0.3);
  });
});
