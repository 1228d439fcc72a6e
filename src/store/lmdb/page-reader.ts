import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {nextTick} from '../../time/next-tick.ts';
import {currentMeta, DATABASE, META, META_PAGES, NO_PAGE, NODE, PAGE_FIELDS, transactionOf} from './page-layout.ts';

/** A record of a table, or a page that cannot be read. */
export type FileRecord =
  | {readonly kind: 'record'; readonly table: string; readonly key: Buffer; readonly value: Buffer | undefined}
  | {readonly kind: 'damage'; readonly table: string; readonly page: number; readonly problem: string};

/** A table, as the file describes it. */
export interface FileTable {
  readonly name: string;
  /** Number of records that it should have. */
  readonly records: number;
  readonly root: bigint;
}

const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const KIND_MASK = BRANCH | LEAF | OVERFLOW;
const BIG_DATA = 1;
const SUB_DATABASE = 2;
/** Size of a node's reference to a value with pages of its own: their first number, a transaction, and their count. */
const BIG_DATA_REFERENCE_BYTES = 24;

/** Maximum number of pages that are read in one tick: about ten milliseconds. */
const TICK_PAGES = 1000;

/**
 * Reads a store's file without the engine. On a damaged page the engine can end the process; this reader reports the page and
 * continues with the next. No process may be writing to the file.
 */
export class LmdbFile implements Disposable {
  readonly #file: number;
  readonly #pageSize: number;
  readonly #meta: Buffer;
  readonly #lastPage: number;
  readonly #lastTransaction: bigint;
  /** Pages that were reached; reaching one twice is damage. */
  readonly #reached = new Set<number>();

  /** Opens a file that `assertUndamaged` accepted. */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    const first = this.#readBytes(0, META.sizeBytes);
    this.#pageSize = first.readUInt32LE(META.pageSize);
    const second = this.#readBytes(this.#pageSize, META.sizeBytes);
    this.#meta = currentMeta(first, second);
    this.#lastTransaction = transactionOf(this.#meta);
    const pages = Math.floor(fstatSync(this.#file).size / this.#pageSize);
    this.#lastPage = Math.min(Number(this.#meta.readBigUInt64LE(META.lastPage)), pages - 1);
  }

  /** Reads the tables. `damage` describes each of them, and each part of the list of free pages, that cannot be read. */
  tables(): {readonly tables: readonly FileTable[]; readonly damage: string[]} {
    const main = describeTable('', this.#meta.subarray(META.mainDatabase, META.mainDatabase + DATABASE.sizeBytes));
    const tables: FileTable[] = [];
    const damage = this.#findFreeListDamage();
    for (const found of this.#walk(main, SUB_DATABASE)) {
      if (found.kind === 'damage') damage.push(found.problem);
      else if (found.value?.length === DATABASE.sizeBytes)
        // The library ends the names of tables with a zero.
        tables.push(describeTable(found.key.toString().replace(/\0$/, ''), found.value));
    }
    if (tables.length !== main.records && damage.length === 0)
      damage.push(`${main.records - tables.length} tables are missing`);
    return {tables, damage};
  }

  /** Finds damage of the list of free pages: with a wrong one the engine would overwrite pages in use. */
  #findFreeListDamage(): string[] {
    const database = this.#meta.subarray(META.freeDatabase, META.freeDatabase + DATABASE.sizeBytes);
    const damage: string[] = [];
    for (const found of this.#walk(describeTable('', database), 0)) {
      if (found.kind === 'damage') damage.push(found.problem);
      else if (found.value === undefined) damage.push('a part of the list of free pages cannot be read');
    }
    return damage;
  }

  /** Iterates over the records of a table, in the order of their keys. */
  async *records(table: FileTable): AsyncIterable<FileRecord> {
    let pages = 0;
    for (const found of this.#walk(table, 0)) {
      yield found;
      if (this.#reached.size < pages + TICK_PAGES) continue;
      pages = this.#reached.size;
      await nextTick();
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  *#walk({name, root}: FileTable, wantedFlag: number): Iterable<FileRecord> {
    const waiting = root === NO_PAGE ? [] : [Number(root)];
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      const page = this.#readPage(number);
      if (typeof page === 'string') {
        yield {kind: 'damage', table: name, page: number, problem: `page ${number} ${page}`};
        continue;
      }
      const nodes = nodesOf(page);
      if (pageKind(page) === BRANCH) waiting.push(...nodes.map(childOf).reverse());
      else for (const node of nodes) yield this.#readRecord(name, number, node, wantedFlag);
    }
  }

  /** Returns a page of a tree, or a text about its damage. */
  #readPage(number: number): Buffer | string {
    if (!this.#claim(number, 1)) return 'is outside of the file, or in use twice';
    const page = this.#readBytes(number * this.#pageSize, this.#pageSize);
    if (page.readBigUInt64LE(PAGE_FIELDS.number) !== BigInt(number)) return 'has the number of another page';
    // The engine would take it for a page of its own transaction, write to it in place, and end the process.
    if (page.readBigUInt64LE(PAGE_FIELDS.transaction) > this.#lastTransaction)
      return 'was written by a transaction after the last one';
    const kind = pageKind(page);
    const lower = page.readUInt16LE(PAGE_FIELDS.lower);
    const upper = page.readUInt16LE(PAGE_FIELDS.upper);
    const isTree = kind === BRANCH || kind === LEAF;
    const bodyBytes = this.#pageSize - PAGE_FIELDS.header;
    if (!isTree || lower % 2 !== 0 || lower > upper || upper > bodyBytes) return 'has an invalid header';
    return nodesOf(page).every(node => isNodeInside(node, kind)) ? page : 'points beyond its end';
  }

  #readRecord(table: string, page: number, node: Buffer, wantedFlag: number): FileRecord {
    const flags = node.readUInt16LE(NODE.flags);
    const keyEnd = NODE.header + node.readUInt16LE(NODE.keySize);
    const key = node.subarray(NODE.header, keyEnd);
    if ((flags & ~BIG_DATA) !== wantedFlag)
      return {kind: 'damage', table, page, problem: `page ${page} has a node that is not a record`};
    const sizeBytes = dataSizeOf(node);
    const value =
      (flags & BIG_DATA) === 0 ? node.subarray(keyEnd, keyEnd + sizeBytes) : this.#readBigData(node, keyEnd, sizeBytes);
    return {kind: 'record', table, key, value};
  }

  /** Returns a value that has pages of its own; undefined if these pages are damaged. */
  #readBigData(node: Buffer, at: number, sizeBytes: number): Buffer | undefined {
    const number = Number(node.readBigUInt64LE(at));
    const pages = Math.ceil((PAGE_FIELDS.header + sizeBytes) / this.#pageSize);
    if (!this.#claim(number, pages)) return undefined;
    const bytes = this.#readBytes(number * this.#pageSize, PAGE_FIELDS.header + sizeBytes);
    const isSound =
      bytes.readBigUInt64LE(PAGE_FIELDS.number) === BigInt(number) &&
      bytes.readBigUInt64LE(PAGE_FIELDS.transaction) <= this.#lastTransaction &&
      pageKind(bytes) === OVERFLOW &&
      bytes.readUInt32LE(PAGE_FIELDS.overflowPages) === pages;
    return isSound ? bytes.subarray(PAGE_FIELDS.header) : undefined;
  }

  /** Marks pages as reached. @returns False if they are outside of the file, or the first one was reached before. */
  #claim(number: number, pages: number): boolean {
    if (number < META_PAGES || number + pages - 1 > this.#lastPage || this.#reached.has(number)) return false;
    this.#reached.add(number);
    return true;
  }

  #readBytes(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(this.#file, bytes, 0, length, position);
    return bytes;
  }
}

function describeTable(name: string, database: Buffer): FileTable {
  return {
    name,
    records: Number(database.readBigUInt64LE(DATABASE.records)),
    root: database.readBigUInt64LE(DATABASE.root),
  };
}

function pageKind(page: Buffer): number {
  return page.readUInt16LE(PAGE_FIELDS.flags) & KIND_MASK;
}

/** Returns the nodes of a page, each from its beginning to the end of the page. */
function nodesOf(page: Buffer): readonly Buffer[] {
  const count = page.readUInt16LE(PAGE_FIELDS.lower) / 2;
  return Array.from({length: count}, (_, index) =>
    page.subarray(PAGE_FIELDS.header + page.readUInt16LE(PAGE_FIELDS.header + index * 2)),
  );
}

function isNodeInside(node: Buffer, kind: number): boolean {
  if (node.length < NODE.header) return false;
  const keyEnd = NODE.header + node.readUInt16LE(NODE.keySize);
  if (kind === BRANCH) return keyEnd <= node.length;
  const isBig = (node.readUInt16LE(NODE.flags) & BIG_DATA) !== 0;
  return keyEnd + (isBig ? BIG_DATA_REFERENCE_BYTES : dataSizeOf(node)) <= node.length;
}

function dataSizeOf(node: Buffer): number {
  return node.readUInt16LE(NODE.sizeLow) + node.readUInt16LE(NODE.sizeHigh) * 2 ** 16;
}

/** Returns the page below a node of a branch: its number takes the place of the size and the flags. */
function childOf(node: Buffer): number {
  return dataSizeOf(node) + node.readUInt16LE(NODE.flags) * 2 ** 32;
}
