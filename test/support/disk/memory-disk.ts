import {basename, dirname} from 'node:path';
import type {FileStatus, FileSystem, OpenFile} from '../../../src/store/disk/file-system.ts';
import {MemoryDirectory, type MemoryNode} from './memory-directory.ts';
import {MemoryFile} from './memory-file.ts';
import type {Random} from './random.ts';

/** A call that changes the disk. */
export interface DiskCall {
  readonly kind: 'create' | 'write' | 'sync' | 'rename' | 'remove' | 'empty' | 'make-directory' | 'sync-directory';
  readonly path: string;
}

/** A fault in place of a call: an error of the operating system, a write of half of the bytes, or a sync that only seems to be one. */
export type Fault = 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EMFILE' | 'short' | 'lie';

/** Numbers of errors; Node has no name for EDQUOT. */
const ERRORS = {EIO: 5, ENOSPC: 28, EDQUOT: 122, EMFILE: 24} as const;

/** Calls that begin by opening a file or directory. */
const OPENING: readonly DiskCall['kind'][] = ['create', 'empty', 'sync-directory'];

/** Free space of every memory disk, in bytes: so much that the store trusts it. */
const FREE_BYTES = 1024 ** 4;

/**
 * A strict file system in memory: a loss of power takes everything that was not synced, in part and in any order, by the promises
 * of POSIX only.
 */
export class MemoryDisk implements FileSystem {
  readonly #root: MemoryDirectory;
  /** Called before each change of the disk. It may take its time, and may answer with a fault. */
  onCall: (call: DiskCall) => Promise<Fault | undefined> = async () => undefined;

  constructor(root = new MemoryDirectory()) {
    this.#root = root;
  }

  /** Returns the disk after a loss of power. */
  afterLoss(random: Random): MemoryDisk {
    return new MemoryDisk(this.#root.afterLoss(random));
  }

  /** Returns the disk after a kill of the process. */
  afterKill(): MemoryDisk {
    return new MemoryDisk(this.#root.afterKill());
  }

  /** Returns the content of each file by its path, and nothing for each directory; must not be changed. */
  contents(): ReadonlyMap<string, Buffer | undefined> {
    return this.#root.contents();
  }

  /** Finds a file. */
  fileAt(path: string): MemoryFile | undefined {
    const node = this.#find(path);
    return node instanceof MemoryFile ? node : undefined;
  }

  /** Creates a file at once. */
  create(path: string): MemoryFile {
    const file = new MemoryFile();
    this.#parentOf(path).change(new Map([[basename(path), file]]));
    return file;
  }

  async open(path: string, flags: 'r+' | 'w' | 'wx'): Promise<OpenFile> {
    const found = this.fileAt(path);
    if (flags === 'r+' && found === undefined) throw failure('ENOENT', 2, {path, syscall: 'open'});
    if (flags === 'wx' && found !== undefined) throw failure('EEXIST', 17, {path, syscall: 'open'});
    if (found === undefined || flags === 'w') await this.#call({kind: 'create', path});
    const file = found ?? this.create(path);
    if (flags === 'w') file.resize(0);
    return {
      write: async (bytes, at) => {
        const written =
          (await this.#call({kind: 'write', path})) === 'short'
            ? bytes.subarray(0, Math.ceil(bytes.length / 2))
            : bytes;
        file.write(written, at);
        return written.length;
      },
      sync: async () => {
        const fault = await this.#call({kind: 'sync', path}).catch(error => {
          file.failSync();
          throw error;
        });
        if (fault !== 'lie') file.sync();
      },
      close: async () => {},
    };
  }

  async readFile(path: string): Promise<Buffer | undefined> {
    return this.fileAt(path)?.content;
  }

  async readNames(path: string): Promise<readonly string[]> {
    return [...this.#directoryAt(path).names.keys()];
  }

  async inspect(path: string): Promise<FileStatus | undefined> {
    const node = this.#find(path);
    if (node === undefined) return undefined;
    const sizeBytes = node instanceof MemoryFile ? node.content.length : 0;
    return {kind: node.kind, isLink: false, sizeBytes, owners: []};
  }

  async setMode(): Promise<void> {}

  async makeDirectory(path: string): Promise<void> {
    if (this.#find(path) !== undefined) return;
    await this.makeDirectory(dirname(path));
    await this.#call({kind: 'make-directory', path});
    this.#parentOf(path).change(new Map([[basename(path), new MemoryDirectory()]]));
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#call({kind: 'rename', path: to});
    const renamed = new Map([
      [basename(from), undefined],
      [basename(to), this.#find(from)],
    ]);
    this.#parentOf(to).change(renamed);
  }

  async remove(path: string): Promise<void> {
    if (this.#find(path) === undefined) return;
    await this.#call({kind: 'remove', path});
    this.#parentOf(path).change(new Map([[basename(path), undefined]]));
  }

  async empty(path: string): Promise<void> {
    await this.#call({kind: 'empty', path});
    this.fileAt(path)?.resize(0);
  }

  async syncDirectory(path: string): Promise<void> {
    if ((await this.#call({kind: 'sync-directory', path})) !== 'lie') this.#directoryAt(path).sync();
  }

  async freeBytes(): Promise<number> {
    return FREE_BYTES;
  }

  async writableBytes(): Promise<number> {
    return FREE_BYTES;
  }

  async #call(call: DiskCall): Promise<Fault | undefined> {
    const fault = await this.onCall(call);
    if (fault === undefined || fault === 'short' || fault === 'lie') return fault;
    const syscall = OPENING.includes(call.kind) ? 'open' : call.kind;
    throw failure(fault === 'EDQUOT' ? 'Unknown system error -122' : fault, ERRORS[fault], {path: call.path, syscall});
  }

  #parentOf(path: string): MemoryDirectory {
    return this.#directoryAt(dirname(path));
  }

  #directoryAt(path: string): MemoryDirectory {
    const node = this.#find(path);
    if (node instanceof MemoryDirectory) return node;
    throw failure('ENOENT', 2, {path, syscall: 'open'});
  }

  #find(path: string): MemoryNode | undefined {
    let node: MemoryNode | undefined = this.#root;
    for (const name of path.split(/[\\/]/).filter(part => part !== ''))
      node = node instanceof MemoryDirectory ? node.names.get(name) : undefined;
    return node;
  }
}

interface FailedCall {
  readonly path: string;
  readonly syscall: string;
}

function failure(code: string, errno: number, {path, syscall}: FailedCall): Error {
  const message = `${code}: a fault of the memory disk, ${syscall} '${path}'`;
  return Object.assign(new Error(message), {code, errno: -errno, syscall});
}
