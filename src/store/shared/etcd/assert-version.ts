import type {Log} from '../../../domain/log.ts';
import {EngineFailure} from '../engine/driver.ts';

/** Oldest version that is accepted, as major, minor and patch. */
const OLDEST = [3, 4, 23] as const;

/** Oldest version without a warning. */
const RECOMMENDED = [3, 6, 0] as const;

/** Verdict on a version of etcd. */
export type VersionVerdict = 'refused' | 'old' | 'good';

/** Judges a version, such as `3.5.16`. One that cannot be read is refused. */
export function judgeVersion(version: string): VersionVerdict {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];
  if (parts.length === 0 || isBefore(parts, OLDEST)) return 'refused';
  return isBefore(parts, RECOMMENDED) ? 'old' : 'good';
}

/** Explains why a version should be replaced. */
export const OLD_VERSION_ADVICE =
  'Use etcd 3.6 or later: older versions cannot start any more after a request above 10 MiB, of whatever program';

/** @throws {EngineFailure} `denied` if a version is too old. An old one is logged. */
export function assertVersion(version: string, log: Log): void {
  const verdict = judgeVersion(version);
  if (verdict === 'refused')
    throw new EngineFailure('denied', `etcd ${version} is too old; use 3.4.23 or later, better 3.6`);
  if (verdict === 'old') log.info('etcd is old', {version, advice: OLD_VERSION_ADVICE});
}

function isBefore(parts: readonly number[], other: readonly number[]): boolean {
  const index = other.findIndex((part, at) => part !== parts[at]);
  return index !== -1 && (parts[index] ?? 0) < (other[index] ?? 0);
}
