import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** A library that refuses something to the process that it is preloaded into; `refusing-shim.c` explains the words. */
export interface Refusals extends Disposable {
  /** Returns the variables of the environment of a process to which something is refused, such as `locks nfs`. */
  environment(what: string, heldTimes?: number): Readonly<Record<string, string>>;
}

const SOURCE = fileURLToPath(new URL('refusing-shim.c', import.meta.url));

/** Compiles the library. @returns Undefined where there is no compiler for it: it is for Linux. */
export function compileRefusals(): Refusals | undefined {
  if (process.platform !== 'linux') return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-refusals-'));
  const library = join(directory, 'refusals.so');
  const dispose = (): void => rmSync(directory, {recursive: true, force: true});
  if (spawnSync('cc', ['-shared', '-fPIC', '-o', library, SOURCE, '-ldl']).status !== 0) {
    dispose();
    return undefined;
  }
  return {
    environment: (what, heldTimes = 0) => ({
      LD_PRELOAD: library,
      REFUSED_OF_ENGINE: what,
      HELD_TIMES: String(heldTimes),
    }),
    [Symbol.dispose]: dispose,
  };
}
