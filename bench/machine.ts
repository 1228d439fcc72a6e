import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {statfs} from 'node:fs/promises';
import {arch, availableParallelism, cpus, release, totalmem, type} from 'node:os';

/** Cores to which servers and the load generator are pinned. */
export interface Cores {
  readonly server: number;
  readonly generator: number;
}

/**
 * Gets of the bare server at 64 connections a second, in the run that docs/performance.md is about, on an AMD EPYC with 2 cores: others show how fast
 * their machine is beside that one.
 */
export const RECORDED_BARE_GETS = 81_042;

/** Description of the machine. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly fileSystem: string;
  /** Undefined if servers and the load generator share all cores. */
  readonly pinned: Cores | undefined;
}

/** Magic numbers of common file systems; those in memory sync at no cost. Source: statfs(2). */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  801189825: 'zfs',
  2035054128: 'overlayfs',
  16914836: 'tmpfs, in memory: nothing is durable here',
};

/**
 * Returns the first and the last core this process may use: far from each other, since neighbours may share execution
 * units.
 */
export const CORES: Cores | undefined = findCores();

function findCores(): Cores | undefined {
  if (spawnSync('taskset', ['--version']).status !== 0) return undefined;
  const allowed = /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const numbers = allowed.split(/[,-]/).map(Number);
  const [server, generator] = [Math.min(...numbers), Math.max(...numbers)];
  return server < generator ? {server, generator} : undefined;
}

/** Returns a command that runs on one core, or unchanged if cores cannot be chosen. */
export function pinned(command: readonly string[], core: number | undefined): readonly string[] {
  return core === undefined ? command : ['taskset', '--cpu-list', String(core), ...command];
}

/** @param directory Directory for the data of the servers. */
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
