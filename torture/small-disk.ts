import {execFile} from 'node:child_process';
import {appendFile, mkdir, mkdtemp, rm, statfs} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';

const run = promisify(execFile);

/** A disk of its own, in memory. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Uses up all free space. */
  fill(): Promise<void>;
  /** Frees that space, and doubles the size of the disk. */
  grow(): Promise<void>;
  /** Remounts it read-only, or writable again. */
  remount(mode: 'ro' | 'rw'): Promise<void>;
}

/** Undefined if this process may mount a file system; otherwise what is missing. */
export async function findMissingMount(): Promise<string | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'crewroom-mount-'));
  try {
    await (await mountSmallDisk(path, 1024 * 1024))[Symbol.asyncDispose]();
    return undefined;
  } catch {
    return 'the right to mount';
  } finally {
    await rm(path, {recursive: true});
  }
}

/** Mounts a disk of this many bytes on a directory. */
export async function mountSmallDisk(path: string, sizeBytes: number): Promise<SmallDisk> {
  await mkdir(path, {recursive: true});
  await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes},mode=0700`, 'crewroom-torture', path]);
  const filling = join(path, 'filling');
  return {
    path,
    fill: async () => {
      const {bavail, bsize} = await statfs(path);
      await appendFile(filling, Buffer.alloc(bavail * bsize));
    },
    grow: async () => {
      await rm(filling, {force: true});
      await run('mount', ['-o', `remount,size=${2 * sizeBytes}`, path]);
    },
    remount: async mode => {
      await run('mount', ['-o', `remount,${mode}`, path]);
    },
    [Symbol.asyncDispose]: async () => {
      await run('umount', ['-l', path]);
    },
  };
}
