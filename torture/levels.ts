import {readdir, readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {LossError} from './loss-error.ts';

/** The size of a service at one moment. */
export interface Level {
  /** Resident memory of its process, in bytes. */
  readonly memoryBytes: number;
  /** Size of all files in its data directory, in bytes. */
  readonly filesBytes: number;
  /** Number of files, sockets and pipes that its process has open. */
  readonly descriptors: number;
}

/** Maximum growth of a level that counts as noise: the random sizes of values alone move it by some percent. */
const GROWTH_MAX = 1.25;

/** Reads the size of a service. Needs `/proc`. */
export async function readLevel(processId: number, dataDir: string): Promise<Level> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8');
  const kibibytes = /^VmRSS:\s+([0-9]+) kB$/m.exec(status)?.[1];
  return {
    memoryBytes: Number(kibibytes) * 1024,
    filesBytes: await sizeFiles(dataDir),
    descriptors: (await readdir(`/proc/${processId}/fd`)).length,
  };
}

async function sizeFiles(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, {withFileTypes: true, recursive: true}))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}

/**
 * Asserts that a service does not grow: the medians of the second half of its levels are compared with those of the
 * first half.
 *
 * @throws {LossError} If one of them grew by more than a quarter; the message has both medians.
 */
export function assertLevel(levels: readonly Level[]): void {
  const half = Math.floor(levels.length / 2);
  for (const name of ['memoryBytes', 'filesBytes', 'descriptors'] as const) {
    const [before, after] = [levels.slice(0, half), levels.slice(half)].map(part =>
      medianOf(part.map(each => each[name])),
    );
    if (!(after !== undefined && before !== undefined && after <= before * GROWTH_MAX))
      throw new LossError(
        `Not level: ${name} grew from ${before} to ${after} (medians of two halves of ${levels.length})`,
      );
  }
}

function medianOf(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
}
