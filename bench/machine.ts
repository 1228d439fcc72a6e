import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {statfs} from 'node:fs/promises';
import {arch, availableParallelism, cpus, release, totalmem, type} from 'node:os';

/** The cores that servers and the load generator are pinned to. */
export interface Cores {
  readonly server: number;
  readonly generator: number;
}

/** Where the run was made. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly fileSystem: string;
  /** Undefined where servers and the load generator share all cores. */
  readonly pinned: Cores | undefined;
}

/** Magic numbers of the file systems one is likely to meet; those in memory sync at no cost. Source: statfs(2). */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  801189825: 'zfs',
  2035054128: 'overlayfs',
  16914836: 'tmpfs, in memory: nothing is durable here',
};

/** The first and the last core this process may use: far from each other where two share their units. */
export const CORES: Cores | undefined = findCores();

function findCores(): Cores | undefined {
  if (spawnSync('taskset', ['--version']).status !== 0) return undefined;
  const allowed = /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const numbers = allowed.split(/[,-]/).map(Number);
  const [server, generator] = [Math.min(...numbers), Math.max(...numbers)];
  return server < generator ? {server, generator} : undefined;
}

/** A command that runs on one core, or as it is where cores cannot be chosen. */
export function pinned(command: readonly string[], core: number | undefined): readonly string[] {
  return core === undefined ? command : ['taskset', '--cpu-list', String(core), ...command];
}

/** @param directory Where the servers keep their data. */
export async function describeMachine(directory: string): Promise<Machine> {
  const fileSystem = (await statfs(directory)).type;
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
    fileSystem: FILE_SYSTEMS[fileSystem] ?? `of type 0x${fileSystem.toString(16)}`,
    pinned: CORES,
  };
}
