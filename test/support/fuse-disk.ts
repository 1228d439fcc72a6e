import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** A disk that a program serves; `fuse-disk.c` explains its modes. */
export type FuseMode = 'direct' | 'lockless' | 'sound';

/** A program that serves disks in memory. */
export interface FuseDisks extends Disposable {
  /** Mounts a disk. @returns Its directory, and the end of it. */
  mount(mode: FuseMode): Promise<{readonly directory: string} & Disposable>;
}

const SOURCE = fileURLToPath(new URL('fuse-disk.c', import.meta.url));

/** Compiles the program. @returns Undefined where there is no compiler, no FUSE, or no right to mount. */
export async function compileFuseDisks(): Promise<FuseDisks | undefined> {
  if (process.platform !== 'linux') return undefined;
  const place = mkdtempSync(join(tmpdir(), 'crewroom-fuse-'));
  const program = join(place, 'fuse-disk');
  const mount = async (mode: FuseMode): Promise<{readonly directory: string} & Disposable> => {
    const directory = mkdtempSync(join(place, `${mode}-`));
    const child = spawn(program, [directory, mode], {stdio: ['ignore', 'pipe', 'ignore']});
    const [first] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
    if (!String(first).startsWith('mounted')) throw new Error('it cannot be mounted');
    return {directory, [Symbol.dispose]: () => void spawnSync('umount', ['-l', directory])};
  };
  const dispose = (): void => rmSync(place, {recursive: true, force: true});
  try {
    if (spawnSync('cc', ['-o', program, SOURCE]).status !== 0) throw new Error('it cannot be compiled');
    (await mount('sound'))[Symbol.dispose]();
    return {mount, [Symbol.dispose]: dispose};
  } catch {
    dispose();
    return undefined;
  }
}
