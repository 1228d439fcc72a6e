import {AppError} from '../../../src/core/failures/app-error.ts';
import type {DataDirectory} from '../../../src/store/disk/data-directory.ts';
import {type OpenFile, writeWhole} from '../../../src/store/disk/file-system.ts';
import {removeUnfinished} from '../../../src/store/lmdb/check-pages.ts';
import type {Engine} from '../../../src/store/lmdb/engine.ts';
import type {EnvironmentSnapshot, LmdbEnvironment} from '../../../src/store/lmdb/environment.ts';
import {keyBytesOf, toBuffer} from '../../../src/store/lmdb/key-bytes.ts';
import type {EnvironmentOptions} from '../../../src/store/lmdb/opening-limits.ts';
import {share, type Table, type TableRange, type TableRecord} from '../../../src/store/lmdb/table.ts';
import type {MemoryDisk} from './memory-disk.ts';

/** Records of a table by the hexadecimal digits of their keys. */
type Records = ReadonlyMap<string, Buffer>;

/** A state of a tree: its tables by name. States are never changed. */
type State = ReadonlyMap<string, Records>;

/** A write of a transaction; without a value the record is removed. */
interface TableWrite {
  readonly table: string;
  readonly key: string;
  readonly value: Buffer | undefined;
}

/** States of trees by their number, of which the file of a tree has one. */
export type States = Map<number, State>;

/** The file of a tree begins with this, then the number of its state; a page later it is there again, without a number. */
const MAGIC = Buffer.from('MEMTREE1');
const PAGE_BYTES = 4096;
const NUMBER_AT = MAGIC.length;
const NEW = Buffer.concat([
  MAGIC,
  Buffer.alloc(PAGE_BYTES - MAGIC.length),
  MAGIC,
  Buffer.alloc(PAGE_BYTES - MAGIC.length),
]);

/**
 * Stands in for LMDB on a memory disk, with its promises only: transactions are atomic and durable once they resolve, and a new
 * file is not synced before its first one.
 *
 * @param states Shared by an engine and those that continue from images of its disk.
 */
export function memoryEngine(disk: MemoryDisk, states: States): Engine {
  const reopenEnvironment = ({directory}: EnvironmentOptions): LmdbEnvironment =>
    new MemoryEnvironment(disk, `${directory}/data.mdb`, states);
  return {
    openEnvironment: async options => reopenEnvironment(options),
    reopenEnvironment,
    async assertUndamaged({path, storePath}: DataDirectory, {expected}) {
      const problem = findProblem(disk.fileAt(`${storePath}/data.mdb`)?.content, expected);
      if (problem !== undefined) throw new AppError({code: 'store-corrupt', what: 'whole', directory: path, problem});
    },
    removeUnfinished,
    async takeLock({lockPath}) {
      const path = `${lockPath}/data.mdb`;
      if (disk.fileAt(path) === undefined) disk.create(path);
      return {[Symbol.asyncDispose]: async () => {}};
    },
  };
}

function findProblem(content: Buffer | undefined, expected: boolean): string | undefined {
  if (content === undefined || content.length === 0) return expected ? 'data.mdb is missing' : undefined;
  const isSound = [0, PAGE_BYTES].every(at => content.subarray(at, at + MAGIC.length).equals(MAGIC));
  return isSound ? undefined : 'data.mdb does not begin like a tree';
}

class MemoryEnvironment implements LmdbEnvironment {
  readonly #states: States;
  readonly #file: Promise<OpenFile>;
  #number: number;
  #writes: TableWrite[] = [];

  constructor(disk: MemoryDisk, path: string, states: States) {
    this.#states = states;
    const file = disk.fileAt(path) ?? disk.create(path);
    if (file.content.length === 0) file.write(NEW, 0);
    this.#number = file.content.readUInt32BE(NUMBER_AT);
    this.#file = disk.open(path, 'r+');
  }

  table(name: string): Table {
    return memoryTable(
      () => this.#state.get(name) ?? new Map(),
      write => this.#writes.push({table: name, ...write}),
    );
  }

  tables<N extends string>(names: readonly N[]): Readonly<Record<N, Table>> {
    return Object.fromEntries(names.map(name => [name, this.table(name)])) as Record<N, Table>;
  }

  snapshot(): EnvironmentSnapshot {
    const state = this.#state;
    return {
      table: name =>
        memoryTable(
          () => state.get(name) ?? new Map(),
          () => {},
        ),
      release: () => {},
    };
  }

  async write(write: () => void): Promise<void> {
    this.#writes = [];
    write();
    const next = new Map([...this.#state].map(([name, records]) => [name, new Map(records)]));
    for (const {table, key, value} of this.#writes) {
      const records = next.get(table) ?? new Map<string, Buffer>();
      next.set(table, records);
      if (value === undefined) records.delete(key);
      else records.set(key, value);
    }
    const number = this.#states.size + 1;
    this.#states.set(number, next);
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(number);
    const file = await this.#file;
    // The pages of the transaction, and then the number that makes them the state of the tree.
    await file.sync();
    await writeWhole(file, bytes, NUMBER_AT);
    await file.sync();
    this.#number = number;
  }

  writeAndWait(): never {
    throw new Error('Only the lock needs it');
  }

  holdReader(): void {}

  liveReaders(): ReadonlySet<number> {
    return new Set();
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  get #state(): State {
    return this.#states.get(this.#number) ?? new Map();
  }
}

function memoryTable(records: () => Records, write: (write: Omit<TableWrite, 'table'>) => void): Table {
  const get = (key: Uint8Array): Buffer | undefined => records().get(hexOf(key));
  return {
    get,
    peek: get,
    keys: range => recordsOf(records(), range).map(({key}) => toBuffer(key)),
    range: range => recordsOf(records(), range),
    put: (key, value) => write({key: hexOf(key), value: Buffer.from(value)}),
    remove: key => write({key: hexOf(key), value: undefined}),
    count: () => records().size,
  };
}

function recordsOf(records: Records, {start, reverse = false, limit}: TableRange): readonly TableRecord[] {
  const from = start === undefined ? undefined : hexOf(start);
  const keys = [...records.keys()].sort();
  const ordered = reverse ? keys.reverse() : keys;
  const inside = ordered.filter(key => from === undefined || (reverse ? key <= from : key >= from));
  return inside
    .slice(0, limit)
    .map(key => ({key: keyBytesOf(Buffer.from(key, 'hex')), value: share(Buffer.from(records.get(key) ?? ''))}));
}

function hexOf(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}
