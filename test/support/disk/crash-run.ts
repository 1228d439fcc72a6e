import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import type {StoreId} from '../../../src/core/domain/entries/identifiers.ts';
import {SILENT_LOG} from '../../../src/core/domain/log.ts';
import {AppError} from '../../../src/core/failures/app-error.ts';
import {FORMAT_FILE} from '../../../src/store/disk/data-directory.ts';
import {CONVERTED_FORMAT, DATA_FORMAT} from '../../../src/store/disk/data-format.ts';
import {changesOf} from '../../../src/store/format/change-encoding.ts';
import {openLmdbStore} from '../../../src/store/lmdb-store.ts';
import type {LogDamage} from '../../../src/store/open-directory.ts';
import {WAL_FILES} from '../../../src/store/wal/write-ahead-log.ts';
import {assertHistory, assertKept, assertSaved, CrashLedger, type Promises} from './crash-ledger.ts';
import {type DiskCall, type Fault, MemoryDisk} from './memory-disk.ts';
import {memoryEngine, type States} from './memory-engine.ts';
import {createRandom, type Random} from './random.ts';

/** The data directory on every memory disk; the directory above it is new too. */
const DIRECTORY = '/made/data';

/** Time of all writes, in milliseconds since the Unix epoch. */
const NOW_MS = Date.parse('2026-01-02T03:04:05Z');

/** Number of images at each call that changes the disk. */
const IMAGES_PER_CALL = 2;

/** Part of a file of the write-ahead log in which most records of a run are, in bytes. */
const USED_BYTES = 128 * 1024;

/** Codes with which a store may be refused after its disk lied. */
const REFUSALS: ReadonlySet<string> = new Set(['store-corrupt', 'data-format-unsupported']);

/** The content of each file of a disk by its path, and nothing for each directory. */
type Contents = ReturnType<MemoryDisk['contents']>;

/** A store on a disk in memory that loses its power, fails or lies. */
export class CrashRun {
  readonly #random: Random;
  readonly #states: States = new Map();
  readonly #ledger: CrashLedger;
  #disk = new MemoryDisk();
  /** Id of the store, once it was open. */
  #id: StoreId | undefined;
  #images = 0;
  /** Images that were checked while the promises were the same. */
  #checked: {readonly promises: string; readonly contents: Contents[]} = {promises: '', contents: []};
  #imagesMax = 0;
  #damaged = 0;
  /** The first failure of a check, which the store that wrote meanwhile takes for one of its disk, and may survive. */
  #failed: unknown;
  /** True if a bit of the write-ahead log is flipped on each image. */
  #damages = false;

  constructor(seed: number) {
    this.#random = createRandom(seed);
    this.#ledger = new CrashLedger(this.#random);
  }

  /** Number of images that were checked, with those that were the same as one before. */
  get images(): number {
    return this.#images;
  }

  /** Number of images that were refused, since a flipped bit may have cost a commit. */
  get damaged(): number {
    return this.#damaged;
  }

  /**
   * Runs a store as {@link loseAnywhere} does, and flips a bit of the write-ahead log on each image: at most the commits of one record may
   * be lost, and all others are in the store, or behind the damage.
   */
  async damageAnywhere(images: number): Promise<void> {
    this.#damages = true;
    await this.loseAnywhere(images);
  }

  /**
   * Runs a store, with restarts, half of them after a loss of power, until it was checked on so many images of its disk: some before each call
   * that changes it.
   *
   * @param blocksBefore Number of blocks that are written to the log of each start before the first image.
   */
  async loseAnywhere(images: number, blocksBefore = 0): Promise<void> {
    this.#imagesMax = images;
    while (this.#images < images) {
      await this.#runOnce(blocksBefore);
      if (this.#failed !== undefined) throw this.#failed;
    }
  }

  /**
   * Runs a store, makes its directory one of the older format, and loses power before each call of its conversion. Every image has the
   * older format, or the new one if the snapshot was made before; and everything that was acknowledged, once it is opened.
   *
   * @param end How the store ended before; after a kill it has a write-ahead log.
   */
  async loseInConversion(end: 'kill' | 'stop'): Promise<void> {
    const store = await this.#open(this.#disk);
    this.#id = store.id;
    await this.#write(store, 6 + this.#random(10));
    const killed = this.#disk.afterKill();
    await store[Symbol.asyncDispose]();
    const disk = end === 'kill' ? killed : this.#disk;
    setFormat(disk, CONVERTED_FORMAT);
    const promises = {attempts: this.#ledger.attempts};
    let isSaved = false;
    disk.onCall = async (): Promise<undefined> => {
      for (let count = 0; count < IMAGES_PER_CALL; count++) {
        const image = disk.afterLoss(this.#random);
        assert.ok(formatOf(image) === CONVERTED_FORMAT || (isSaved && formatOf(image) === DATA_FORMAT));
        this.#images++;
        await this.#check(image, promises);
        assert.equal(formatOf(image), DATA_FORMAT);
      }
    };
    const converted = await this.#open(disk, undefined, async old => {
      assert.equal(old.revision, promises.attempts.length);
      isSaved = true;
    });
    disk.onCall = async () => undefined;
    await assertKept(converted, promises);
    await converted[Symbol.asyncDispose]();
    assert.equal(formatOf(disk.afterLoss(this.#random)), DATA_FORMAT);
  }

  /**
   * Runs a store while calls fail, and checks it again on a disk that works: after a kill, after a loss of power, or after a stop.
   *
   * @param faultOf Chooses the fault of a call, given its number from 1 on.
   */
  async fail(
    faultOf: (call: DiskCall, number: number) => Fault | undefined,
    end: 'kill' | 'loss' | 'stop',
    exceptions: Omit<Promises, 'attempts'>,
  ): Promise<void> {
    let calls = 0;
    this.#disk.onCall = async call => faultOf(call, ++calls);
    const store = await this.#open(this.#disk).catch(() => undefined);
    if (store !== undefined) await this.#write(store, 8);
    if (end === 'stop') await store?.[Symbol.asyncDispose]();
    const image = end === 'loss' ? this.#disk.afterLoss(this.#random) : this.#disk.afterKill();
    this.#disk.onCall = async () => undefined;
    const promises = {attempts: this.#ledger.attempts, ...exceptions};
    if (end !== 'stop') await store?.[Symbol.asyncDispose]();
    await (end === 'kill' ? this.#checkKilled(image, promises) : this.#check(image, promises));
  }

  async #runOnce(blocksBefore: number): Promise<void> {
    this.#disk.onCall = blocksBefore === 0 ? () => this.#checkImages() : async () => undefined;
    const store = await this.#open(this.#disk);
    this.#id ??= store.id;
    for (let rest = blocksBefore; rest > 0; rest--) await this.#ledger.commitBlock(store);
    this.#disk.onCall = () => this.#checkImages();
    await this.#write(store, 6 + this.#random(20));
    const lost = this.#damages || this.#random(2) === 0 ? undefined : this.#disk.afterLoss(this.#random);
    if (lost !== undefined) this.#disk.onCall = async () => undefined;
    await store[Symbol.asyncDispose]();
    this.#disk = lost ?? this.#disk;
  }

  async #write(store: Store, commits: number): Promise<void> {
    for (let rest = commits; rest > 0; ) {
      // Some share a group.
      const together = Math.min(rest, 1 + this.#random(3));
      await Promise.all(Array.from({length: together}, () => this.#ledger.commit(store)));
      rest -= together;
      // A sweep writes the tree first, if it has to know of times of expiry.
      if (this.#random(4) === 0) await store.sweep().catch(() => {});
    }
  }

  async #checkImages(): Promise<undefined> {
    if (this.#images >= this.#imagesMax) return;
    const attempts = this.#ledger.attempts;
    const disks = Array.from({length: IMAGES_PER_CALL}, () => this.#disk.afterLoss(this.#random));
    for (const disk of disks) {
      if (this.#damages && !this.#flipBit(disk)) continue;
      this.#images++;
      if (!this.#damages && this.#isChecked(disk)) continue;
      const checked = this.#damages ? this.#checkDamaged(disk, {attempts}) : this.#check(disk, {attempts});
      await checked.catch(error => {
        this.#failed ??= error;
        throw error;
      });
    }
  }

  /** Returns whether an image is one that was checked with the same promises, and remembers it. */
  #isChecked(disk: MemoryDisk): boolean {
    const promises = `${this.#ledger.changes} ${this.#id}`;
    if (this.#checked.promises !== promises) this.#checked = {promises, contents: []};
    const contents = disk.contents();
    if (this.#checked.contents.some(each => isSame(each, contents))) return true;
    this.#checked.contents.push(contents);
    return false;
  }

  async #check(disk: MemoryDisk, promises: Promises): Promise<void> {
    const opened = await this.#open(disk).then(
      store => [store],
      error => {
        const isRefused = error instanceof AppError && REFUSALS.has(error.code);
        if (promises.mayLose !== true || !isRefused) throw error;
        return [];
      },
    );
    for (const store of opened) {
      await assertHistory(store, await assertKept(store, promises));
      assert.equal(store.id, this.#id ?? store.id, 'the store has another id');
      await store[Symbol.asyncDispose]();
    }
  }

  /** Flips a bit of one file of the log, most often where records are. @returns False if there is no file. */
  #flipBit(disk: MemoryDisk): boolean {
    const file = disk.fileAt(`${DIRECTORY}/store/${WAL_FILES[this.#random(2)]}`);
    if (file === undefined || file.content.length === 0) return false;
    const used = this.#random(4) === 0 ? file.content.length : Math.min(file.content.length, USED_BYTES);
    const at = this.#random(used);
    file.write(Buffer.from([(file.content[at] ?? 0) ^ (1 << this.#random(8))]), at);
    return true;
  }

  async #checkDamaged(disk: MemoryDisk, promises: Promises): Promise<void> {
    let damage: LogDamage | undefined;
    const store = await this.#open(disk, async found => {
      damage = found;
    });
    if (damage !== undefined) this.#damaged++;
    const behind = damage?.behind.map(({changes}) => changesOf(changes)) ?? [];
    await assertKept(store, {...promises, mayLose: damage !== undefined});
    await assertSaved(store, behind, promises);
    await store[Symbol.asyncDispose]();
    await (await this.#open(disk))[Symbol.asyncDispose]();
  }

  /** Checks a store after a kill, and again after a loss of power: what was seen after the kill stays. */
  async #checkKilled(disk: MemoryDisk, promises: Promises): Promise<void> {
    const store = await this.#open(disk);
    const seen = await assertKept(store, promises);
    const lost = disk.afterLoss(this.#random);
    await store[Symbol.asyncDispose]();
    const again = await this.#open(lost);
    const marks = await assertKept(again, promises);
    await again[Symbol.asyncDispose]();
    assert.deepEqual(marks, seen);
  }

  #open(
    disk: MemoryDisk,
    onLogDamage?: (damage: LogDamage) => Promise<void>,
    beforeConversion = async (_: Store): Promise<void> => {},
  ): Promise<Store> {
    const engine = memoryEngine(disk, this.#states);
    const randomBytes = (sizeBytes: number): Uint8Array => Buffer.alloc(sizeBytes, this.#random(256));
    return openLmdbStore({
      directory: DIRECTORY,
      files: disk,
      engine,
      nowMs: () => NOW_MS,
      log: SILENT_LOG,
      randomBytes,
      onLogDamage,
      beforeConversion,
    });
  }
}

function isSame(one: Contents, other: Contents): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([path, content]) => {
    const found = other.get(path);
    // Most images share the contents of files that do not change.
    return other.has(path) && (content === found || (content !== undefined && found?.equals(content) === true));
  });
}

const FORMAT_PATH = `${DIRECTORY}/${FORMAT_FILE}`;

function formatOf(disk: MemoryDisk): number | undefined {
  const content = disk.fileAt(FORMAT_PATH)?.content;
  return content && JSON.parse(content.toString()).format;
}

function setFormat(disk: MemoryDisk, format: number): void {
  const file = disk.fileAt(FORMAT_PATH) ?? assert.fail('no format');
  file.write(Buffer.from(`${JSON.stringify({format})}\n`), 0);
  file.sync();
}
