import type {Random} from './random.ts';

/** Disks write whole sectors. */
const SECTOR_BYTES = 512;

/** A change of a file that is not synced yet. */
type Pending = {readonly at: number; readonly bytes: Buffer} | {readonly sizeBytes: number};

/** A file of a memory disk: its content now, and what of it is durable. Content is shared until it changes. */
export class MemoryFile {
  readonly kind = 'file';
  #content: Buffer;
  #isShared = true;
  #durable: Buffer;
  #pending: Pending[] = [];
  /** Changes whose sync failed: the operating system counts them as written, and only the disk knows whether they are. */
  #dropped: Pending[] = [];

  /** @param content The durable content, which is never changed. */
  constructor(content: Buffer = Buffer.alloc(0)) {
    this.#content = content;
    this.#durable = content;
  }

  /** The content now; must not be changed. */
  get content(): Buffer {
    return this.#content;
  }

  write(bytes: Buffer, at: number): void {
    const copy = Buffer.from(bytes);
    this.#pending.push({at, bytes: copy});
    this.#own(Math.max(this.#content.length, at + copy.length));
    copy.copy(this.#content, at);
  }

  resize(sizeBytes: number): void {
    this.#pending.push({sizeBytes});
    this.#own(sizeBytes);
  }

  sync(): void {
    if (this.#pending.length === 0) return;
    if (this.#dropped.length === 0) {
      this.#durable = this.#content;
      this.#isShared = true;
    } else this.#durable = this.#replay(this.#pending);
    this.#pending = [];
  }

  /** Fails to sync: a later sync does not write the same again. */
  failSync(): void {
    this.#dropped.push(...this.#pending);
    this.#pending = [];
  }

  /** Returns a copy that is independent of this file. */
  copy(): MemoryFile {
    const copy = new MemoryFile(this.#durable);
    copy.#content = Buffer.from(this.#content);
    copy.#isShared = false;
    copy.#pending = [...this.#pending];
    copy.#dropped = [...this.#dropped];
    return copy;
  }

  /** Returns the file after a loss of power: any sectors of what was not synced are there, and others are not. */
  afterLoss(random: Random): MemoryFile {
    const uncertain = [...this.#dropped, ...this.#pending];
    if (uncertain.length === 0) return new MemoryFile(this.#durable);
    // Some losses keep all or nothing: with many sectors those would never occur.
    const mode = random(4);
    if (mode === 0) return new MemoryFile(this.#durable);
    const file = new MemoryFile(this.#durable);
    for (const pending of uncertain) {
      if ('sizeBytes' in pending) {
        if (mode === 1 || random(2) === 0) file.resize(pending.sizeBytes);
      } else if (mode === 1) file.write(pending.bytes, pending.at);
      else file.#writeSome(pending, random);
    }
    return new MemoryFile(file.#content);
  }

  /** Returns the durable content with some changes. */
  #replay(changes: readonly Pending[]): Buffer {
    const file = new MemoryFile(this.#durable);
    for (const change of changes) {
      if ('sizeBytes' in change) file.resize(change.sizeBytes);
      else file.write(change.bytes, change.at);
    }
    return file.#content;
  }

  #writeSome({at, bytes}: {readonly at: number; readonly bytes: Buffer}, random: Random): void {
    // Runs of sectors, since a choice for each would take long for a large write.
    const runs = 1 + random(6);
    const sectors = Math.ceil((at + bytes.length) / SECTOR_BYTES) - Math.floor(at / SECTOR_BYTES);
    for (let run = 0; run < runs; run++) {
      const first = Math.floor(at / SECTOR_BYTES) + random(sectors);
      const end = Math.min(at + bytes.length, (first + 1 + random(sectors)) * SECTOR_BYTES);
      const start = Math.max(at, first * SECTOR_BYTES);
      if (end > start) this.write(bytes.subarray(start - at, end - at), start);
    }
  }

  /** Makes the content one that may be changed. */
  #own(sizeBytes: number): void {
    if (!this.#isShared && sizeBytes === this.#content.length) return;
    const content = Buffer.allocUnsafeSlow(sizeBytes);
    content.fill(0, this.#content.copy(content));
    this.#content = content;
    this.#isShared = false;
  }
}
