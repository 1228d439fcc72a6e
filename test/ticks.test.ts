import {describe, expect, test} from 'vitest';
import {useService} from './support/service.ts';

const service = useService();
/** An event loop whose ticks do not include waiting for a disk. */
const ephemeral = useService({ephemeral: true});
const MEBIBYTE = 1024 * 1024;

/** An object with this many members of five to ten bytes. */
function members(count: number, value: number): string {
  return `{${Array.from({length: count}, (_, index) => `"m${index}":${value}`).join(',')}}`;
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
  const patchAll = (key: string, count: number): Promise<unknown>[] =>
    Array.from({length: count}, (_, index) =>
      ephemeral().crewroom.entries.patch(key, Buffer.from(`{"new ${index}":${index}}`)),
    );

  test('while many concurrent patches are applied, each to the result of the previous one', async () => {
    const {entries} = ephemeral().crewroom;
    await entries.put('grouped', Buffer.from(members(80_000, 0)));
    expect(await countTicks(() => Promise.all(patchAll('grouped', 8)))).toBeGreaterThanOrEqual(8);
    expect((await entries.get('grouped'))?.text).toMatch(/"new 0":0,"new 1":1,.*"new 7":7\}$/);
  });

  test('while a value is patched many times that was missing when the patches arrived', async () => {
    const {entries} = ephemeral().crewroom;
    const ticks = await countTicks(() =>
      Promise.all([entries.put('fresh', Buffer.from(members(80_000, 0))), ...patchAll('fresh', 8)]),
    );
    expect(ticks).toBeGreaterThanOrEqual(8);
    expect((await entries.get('fresh'))?.text).toMatch(/"new 0":0,"new 1":1,.*"new 7":7\}$/);
  });

  test('while transactions patch large values, and other writes wait for them in their order', async () => {
    const {entries} = ephemeral().crewroom;
    const value = members(40_000, 0);
    const keys = ['several-0', 'several-1', 'several-2', 'several-3'];
    for (const key of keys) await entries.put(key, Buffer.from(value));
    const patch = (key: string) => ({kind: 'patch', key, patch: {m39999: 1}}) as const;
    let committed: readonly {readonly revision: number}[] = [];
    const ticks = await countTicks(async () => {
      committed = await Promise.all([
        entries.transact({operations: keys.slice(0, 2).map(patch)}),
        entries.transact({operations: keys.slice(2).map(patch)}),
        entries.put('several-0', 'after'),
        entries.patch('several-1', {m39999: null, last: 2}),
      ]);
    });
    expect(ticks).toBeGreaterThanOrEqual(3);
    const [first = 0, ...later] = committed.map(({revision}) => revision);
    expect(later).toEqual([first + 1, first + 2, first + 3]);
    expect((await entries.get('several-0'))?.text).toBe('"after"');
    expect((await entries.get('several-1'))?.text).toMatch(/"m39998":0,"last":2\}$/);
    expect((await entries.get('several-3'))?.text).toMatch(/"m39999":1\}$/);
  });

  test('while the lines of an import are read, however many arrive at once', async () => {
    const {transfer} = service().crewroom;
    const chunks = [Buffer.from('\n'.repeat(4 * MEBIBYTE))];
    const share = await findLongestTick(() => expect(transfer.import(chunks)).rejects.toThrow('missing'));
    expect(share).toBeLessThan(0.3);
  });
});
