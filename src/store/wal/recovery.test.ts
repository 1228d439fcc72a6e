import {describe, expect, test} from 'vitest';
import {MemoryDisk} from '../../../test/support/disk/memory-disk.ts';
import {putOf} from '../../../test/support/store-fixture.ts';
import {describeDataDirectory} from '../disk/data-directory.ts';
import {type CheckpointedState, type Recovery, readWriteAheadLog} from './recovery.ts';
import {encodeWalRecord, SectorWriter, sealedBytes} from './wal-format.ts';
import {WAL_FILE_BYTES, WAL_FILES, WAL_RECORD_BYTES_MAX} from './write-ahead-log.ts';

const SECTOR_BYTES = 512;
const BLOCK_BYTES = 4096;
const BLOCKS = WAL_FILE_BYTES / BLOCK_BYTES;

/** The last block behind which the largest record fits. */
const ROOMY_BLOCK = BLOCKS - sealedBytes(WAL_RECORD_BYTES_MAX) / BLOCK_BYTES - 1;

/** A value whose record takes two blocks, and one sector of the second one. */
const LONG = JSON.stringify('x'.repeat(2000));

/** A record in a file. */
interface Placed {
  readonly file?: 0 | 1;
  readonly block: number;
  readonly first: number;
  readonly last?: number;
  readonly text?: string;
  readonly storeId?: string;
}

/** The two files of a log, with everything else unused. */
class Files {
  readonly contents = WAL_FILES.map((_, file) => new SectorWriter(file).empty(0, WAL_FILE_BYTES));

  constructor(...records: readonly Placed[]) {
    for (const record of records) this.#place(record);
  }

  /** Flips a bit of a sector. */
  damage(file: 0 | 1, at: number): this {
    const content = this.contents[file];
    if (content !== undefined) content[at] = (content[at] ?? 0) ^ 4;
    return this;
  }

  /** Writes a block at a wrong place too. */
  copyBlock(from: number, to: number): this {
    this.contents[0]?.copy(this.contents[0], to * BLOCK_BYTES, from * BLOCK_BYTES, (from + 1) * BLOCK_BYTES);
    return this;
  }

  /** Reads the log beside a tree that has its commits up to the revision 2, or another state. */
  async read(state: Partial<CheckpointedState> = {}): Promise<Recovery> {
    const disk = new MemoryDisk();
    await disk.makeDirectory('/data/store');
    for (const [index, name] of WAL_FILES.entries())
      if (this.contents[index] !== undefined) disk.create(`/data/store/${name}`).write(this.contents[index], 0);
    return readWriteAheadLog(describeDataDirectory('/data', disk), {checkpointed: 2, walId: 'store', ...state});
  }

  #place({file = 0, block, first, last = first, text = String(first), storeId = 'store'}: Placed): void {
    const changes = [putOf(first, 'a', text), putOf(last, 'b', text)];
    const record = encodeWalRecord({changes, updatedAtMs: 1001, nowMs: 1002, storeId}, Buffer.alloc(20_000));
    const at = block * BLOCK_BYTES;
    new SectorWriter(file).seal(record, Buffer.alloc(20_000), at).copy(this.contents[file] ?? record, at);
  }
}

/** Returns a summary of what was read: each record with its place. */
async function summaryOf(files: Files, state?: Partial<CheckpointedState>) {
  const {records, behind, damage, harmless} = await files.read(state);
  const shown = (each: Recovery['records']): string =>
    each
      .map(({first, last, storeId, position: {file, at}}) => `${storeId} ${first}-${last} ${file}/${at / BLOCK_BYTES}`)
      .join(', ');
  return {records: shown(records), behind: shown(behind), damage, harmless};
}

const SOUND = {behind: '', damage: undefined, harmless: undefined};

function damageAt(at: number, {file = 'wal-0', after = 2} = {}): string {
  return `its file ${file} is damaged at byte ${at}, where commits after ${after} that were acknowledged may have been`;
}

describe('the records of a write-ahead log', () => {
  const NOTHING = {records: [], behind: [], damage: undefined, harmless: undefined};

  test('are none without files, and in unused ones', async () => {
    const files = new Files();
    expect(await files.read()).toEqual({...NOTHING, isThere: true});
    files.contents.length = 0;
    expect(await files.read()).toEqual({...NOTHING, isThere: false});
  });

  test('have their changes, their times and their place', async () => {
    const files = new Files({block: 0, first: 3}, {block: 1, first: 4, last: 5, text: LONG});
    const bytes = files.contents[0]?.subarray(BLOCK_BYTES, 3 * BLOCK_BYTES);
    const {records} = await files.read();
    expect(records.length).toBe(2);
    expect(records[1]).toMatchObject({first: 4, last: 5, updatedAtMs: 1001, nowMs: 1002, storeId: 'store'});
    expect(records[1]?.changes).toEqual([putOf(4, 'a', LONG), putOf(5, 'b', LONG)]);
    expect(records[1]?.position).toMatchObject({file: 'wal-0', at: BLOCK_BYTES});
    expect(records[1]?.position.bytes.equals(bytes ?? Buffer.alloc(0))).toBe(true);
  });

  const sound: readonly {readonly name: string; readonly files: Files; readonly records: string}[] = [
    {
      name: 'follow the tree',
      files: new Files(...[1, 2, 3, 4].map(first => ({block: first - 1, first}))),
      records: 'store 3-3 wal-0/2, store 4-4 wal-0/3',
    },
    {
      name: 'are in the order of their revisions',
      files: new Files(
        {block: 0, first: 6},
        {block: 1, first: 7},
        {file: 1, block: 0, first: 3, last: 4},
        {file: 1, block: 1, first: 5},
      ),
      records: 'store 3-4 wal-1/0, store 5-5 wal-1/1, store 6-6 wal-0/0, store 7-7 wal-0/1',
    },
    {
      name: 'are found in the blocks of an older one that is not whole any more',
      files: new Files({block: 0, first: 1, text: LONG}, {block: 1, first: 3}),
      records: 'store 3-3 wal-0/1',
    },
    {
      name: 'begin anywhere in their files',
      files: new Files({block: 9, first: 3}, {block: BLOCKS - 1, first: 4}, {file: 1, block: 100, first: 5}),
      records: `store 3-3 wal-0/9, store 4-4 wal-0/${BLOCKS - 1}, store 5-5 wal-1/100`,
    },
  ];
  for (const {name, files, records} of sound)
    test(name, async () => {
      expect(await summaryOf(files)).toEqual({...SOUND, records});
    });

  test('are those of a tree that names no log, too, as far as they are its own', async () => {
    const files = new Files({block: 0, first: 3});
    expect(await summaryOf(files, {walId: undefined})).toMatchObject({records: '', behind: 'store 3-3 wal-0/0'});
  });

  test('are there once if the block of one was written elsewhere too, wherever that is', async () => {
    const before = new Files({block: 5, first: 3}, {block: 6, first: 4}).copyBlock(5, 0);
    expect(await summaryOf(before)).toMatchObject({
      records: 'store 3-3 wal-0/5, store 4-4 wal-0/6',
      ...{behind: '', damage: undefined, harmless: 'its file wal-0 is damaged at byte 0'},
    });
    const behind = new Files({block: 5, first: 3}, {block: 6, first: 4}).copyBlock(6, 9);
    expect(await summaryOf(behind)).toMatchObject({
      records: 'store 3-3 wal-0/5, store 4-4 wal-0/6',
      ...{behind: '', damage: undefined, harmless: `its file wal-0 is damaged at byte ${9 * BLOCK_BYTES}`},
    });
  });

  const broken = [
    {
      name: 'lack commits at their beginning',
      files: new Files({block: 0, first: 4}, {block: 1, first: 5}),
      found: {records: '', behind: 'store 4-4 wal-0/0, store 5-5 wal-0/1'},
      damage: 'its write-ahead log lacks the commits 3 to 3',
    },
    {
      name: 'lack commits between them',
      files: new Files({block: 0, first: 3, last: 4}, {block: 1, first: 8}),
      found: {records: 'store 3-4 wal-0/0', behind: 'store 8-8 wal-0/1'},
      damage: 'its write-ahead log lacks the commits 5 to 7',
    },
    {
      name: 'are of another store',
      files: new Files(...[3, 4, 5].map(first => ({block: first - 3, first, storeId: 'other'}))),
      found: {records: '', behind: 'other 3-3 wal-0/0, other 4-4 wal-0/1, other 5-5 wal-0/2'},
      damage:
        'its write-ahead log (wal-0, wal-1) has the commits 3 to 5 of another data.mdb than the one beside it; put that data.mdb back',
    },
    {
      name: 'are of another store, beside own ones with the same revisions',
      files: new Files({block: 0, first: 3}, {file: 1, block: 0, first: 3, storeId: 'other'}),
      found: {records: 'store 3-3 wal-0/0', behind: 'other 3-3 wal-1/0'},
      damage:
        'its write-ahead log (wal-0, wal-1) has the commits 3 to 3 of another data.mdb than the one beside it; put that data.mdb back',
    },
  ];
  for (const {name, files, found, damage} of broken)
    test(`are reported if they ${name}`, async () => {
      expect(await summaryOf(files)).toEqual({...SOUND, ...found, damage});
    });
});

describe('damage of a write-ahead log', () => {
  const HEADER_AT = 50;
  const last = ROOMY_BLOCK;
  const cases: readonly {
    readonly name: string;
    readonly files: Files;
    readonly at: readonly [0 | 1, number];
    readonly records?: string;
    /** Revision after which commits may be lost; undefined if none can be. */
    readonly after?: number;
  }[] = [
    {name: 'at the beginning of an empty log', files: new Files(), at: [0, 0], after: 2},
    {name: 'in the second sector of an empty log', files: new Files(), at: [0, SECTOR_BYTES]},
    {name: 'at the beginning of the second file of an empty log', files: new Files(), at: [1, 0]},
    {
      name: 'where the next record would begin',
      ...{files: new Files({block: 0, first: 3}), at: [0, BLOCK_BYTES]},
      ...{records: 'store 3-3 wal-0/0', after: 3},
    },
    {
      name: 'behind that',
      ...{files: new Files({block: 0, first: 3}), at: [0, BLOCK_BYTES + SECTOR_BYTES]},
      records: 'store 3-3 wal-0/0',
    },
    {
      name: 'in an unused sector behind the last record, in its block',
      ...{files: new Files({block: 0, first: 3}), at: [0, SECTOR_BYTES]},
      records: 'store 3-3 wal-0/0',
    },
    {
      name: 'where the next record would begin, behind one that is checkpointed',
      ...{files: new Files({block: 4, first: 1, last: 2}), at: [0, 5 * BLOCK_BYTES]},
      ...{records: '', after: 2},
    },
    {
      name: 'at the beginning of a file with one that is checkpointed elsewhere in it',
      ...{files: new Files({block: 4, first: 1, last: 2}), at: [0, 0]},
      records: '',
    },
    {
      name: 'where the next record would begin, behind one that is long checkpointed',
      ...{files: new Files({block: 4, first: 1}), at: [0, 5 * BLOCK_BYTES]},
      ...{records: '', after: 2},
    },
    {
      name: 'in the header of the last record',
      ...{files: new Files({block: 0, first: 3}, {block: 1, first: 4}), at: [0, BLOCK_BYTES + HEADER_AT]},
      ...{records: 'store 3-3 wal-0/0', after: 3},
    },
    {
      name: 'in the last sector of the last record',
      files: new Files({block: 0, first: 3}, {block: 1, first: 4, text: LONG}),
      ...{at: [0, 2 * BLOCK_BYTES + HEADER_AT], records: 'store 3-3 wal-0/0', after: 3},
    },
    {
      name: 'of a checkpointed record that is the last one, behind its header',
      ...{files: new Files({block: 0, first: 1}, {block: 1, first: 2}), at: [0, BLOCK_BYTES + 100], records: ''},
    },
    {
      name: 'in the header of a checkpointed record that is the last one',
      ...{files: new Files({block: 0, first: 1}, {block: 1, first: 2}), at: [0, BLOCK_BYTES + HEADER_AT]},
      ...{records: '', after: 2},
    },
    {
      name: 'of an older record behind the last one, in its second sector',
      files: new Files({block: 0, first: 3}, {block: 1, first: 1, text: LONG}),
      ...{at: [0, BLOCK_BYTES + SECTOR_BYTES], records: 'store 3-3 wal-0/0'},
    },
    {
      name: 'of an older record behind the last one, in its header',
      files: new Files({block: 0, first: 3}, {block: 1, first: 1, text: LONG}),
      ...{at: [0, BLOCK_BYTES + HEADER_AT], records: 'store 3-3 wal-0/0', after: 3},
    },
    {
      name: 'at the beginning of the other file, if the largest record fits behind the last one',
      ...{files: new Files({block: last, first: 3}), at: [1, 0], records: `store 3-3 wal-0/${last}`},
    },
    {
      name: 'at the beginning of the other file, if the largest record does not fit behind the last one',
      ...{files: new Files({block: last + 1, first: 3}), at: [1, 0]},
      ...{records: `store 3-3 wal-0/${last + 1}`, after: 3},
    },
    {
      name: 'at the beginning of the file whose last record is not checkpointed',
      ...{files: new Files({block: last + 1, first: 3}), at: [0, 0], records: `store 3-3 wal-0/${last + 1}`},
    },
    {
      name: 'at the beginning of the file whose last record is checkpointed',
      ...{files: new Files({block: last + 1, first: 2}), at: [0, 0], records: '', after: 2},
    },
    {
      name: 'behind the newest record, if the other file has older ones',
      ...{files: new Files({block: 0, first: 4}, {file: 1, block: 0, first: 3}), at: [0, BLOCK_BYTES]},
      ...{records: 'store 3-3 wal-1/0, store 4-4 wal-0/0', after: 4},
    },
    {
      name: 'behind an older record in the other file',
      ...{files: new Files({block: 0, first: 4}, {file: 1, block: 0, first: 3}), at: [1, BLOCK_BYTES]},
      records: 'store 3-3 wal-1/0, store 4-4 wal-0/0',
    },
    {
      name: 'behind the newest record, if its block was written further behind too',
      ...{files: new Files({block: 0, first: 3}).copyBlock(0, 5), at: [0, BLOCK_BYTES]},
      ...{records: 'store 3-3 wal-0/0', after: 3},
    },
    {
      name: 'behind the last record at the end of its file',
      ...{files: new Files({block: last + 1, first: 3}), at: [0, (last + 2) * BLOCK_BYTES]},
      ...{records: `store 3-3 wal-0/${last + 1}`, after: 3},
    },
  ];
  for (const {
    name,
    files,
    at: [file, position],
    records = '',
    after,
  } of cases)
    test(`${after === undefined ? 'does no harm' : 'is reported'} ${name}`, async () => {
      const at = position - (position % SECTOR_BYTES);
      expect(await summaryOf(files.damage(file, position))).toEqual({
        ...{records, behind: ''},
        damage: after === undefined ? undefined : damageAt(at, {file: `wal-${file}`, after}),
        harmless: `its file wal-${file} is damaged at byte ${at}`,
      });
    });

  test('is a gap if it is of a record that is not the last one', async () => {
    const files = new Files(...[3, 4, 5].map(first => ({block: first - 3, first}))).damage(0, BLOCK_BYTES + 100);
    expect(await summaryOf(files)).toEqual({
      ...{records: 'store 3-3 wal-0/0', behind: 'store 5-5 wal-0/2'},
      damage: 'its write-ahead log lacks the commits 4 to 4',
      harmless: `its file wal-0 is damaged at byte ${BLOCK_BYTES}`,
    });
  });

  test('is none of a record that was interrupted, since its sectors are all sound', async () => {
    const files = new Files({block: 0, first: 3}, {block: 1, first: 4, text: LONG});
    const unused = new SectorWriter(0).empty(2 * BLOCK_BYTES, SECTOR_BYTES);
    unused.copy(files.contents[0] ?? unused, 2 * BLOCK_BYTES);
    expect(await summaryOf(files)).toEqual({...SOUND, records: 'store 3-3 wal-0/0'});
  });

  test('is not looked for before the tree names the log', async () => {
    const files = new Files().damage(0, 0).damage(1, 0);
    expect(await summaryOf(files, {walId: undefined})).toEqual({...SOUND, records: ''});
  });

  const interrupted = [
    {name: 'in the block of its end', at: 3 * BLOCK_BYTES - SECTOR_BYTES, after: 3},
    {name: 'behind that', at: 3 * BLOCK_BYTES, after: undefined},
  ];
  for (const {name, at, after} of interrupted)
    test(`${after === undefined ? 'does no harm' : 'is reported'} beside such a record, ${name}`, async () => {
      const files = new Files({block: 0, first: 3}, {block: 1, first: 4, text: LONG}).damage(0, at);
      const unused = new SectorWriter(0).empty(2 * BLOCK_BYTES, SECTOR_BYTES);
      unused.copy(files.contents[0] ?? unused, 2 * BLOCK_BYTES);
      const {records, damage} = await summaryOf(files);
      expect(records).toBe('store 3-3 wal-0/0');
      expect(damage).toBe(after === undefined ? undefined : damageAt(at, {after}));
    });

  const cuts = [
    {name: 'is missing', content: [], problem: 'its file wal-1 is missing'},
    {
      name: 'is empty',
      content: [Buffer.alloc(0)],
      problem: `its file wal-1 has 0 bytes and should have ${WAL_FILE_BYTES}`,
    },
    {
      name: 'was cut within a sector',
      content: [new SectorWriter(1).empty(0, 2 * SECTOR_BYTES).subarray(0, -1)],
      problem: `its file wal-1 has ${2 * SECTOR_BYTES - 1} bytes and should have ${WAL_FILE_BYTES}`,
    },
    {
      name: 'was damaged in its last sector, and not cut',
      content: [
        Buffer.concat([new SectorWriter(1).empty(0, WAL_FILE_BYTES - SECTOR_BYTES), Buffer.alloc(SECTOR_BYTES)]),
      ],
      problem: `its file wal-1 is damaged at byte ${WAL_FILE_BYTES - SECTOR_BYTES}`,
    },
  ];
  for (const {name, content, problem} of cuts)
    test(`names the second file if it ${name}`, async () => {
      const files = new Files({block: 0, first: 3});
      files.contents.splice(1, 1, ...content);
      expect(await summaryOf(files)).toEqual({...SOUND, records: 'store 3-3 wal-0/0', harmless: problem});
    });
});
