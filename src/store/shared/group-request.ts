import type {CommitResult} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import {endEntryRecord} from '../format/entry-record.ts';
import type {Plan, PlannedWrite, StorePut} from '../plan/plan.ts';
import {recordOf} from '../plan/prepare-commit.ts';
import {encodeResults, eraOf} from './engine/commit-ids.ts';
import {isDeferred} from './engine/deferred-values.ts';
import {entryKey, type LogPosition, logUpTo, resultsBefore} from './engine/engine-keys.ts';
import type {Head, KnownHead} from './engine/head.ts';
import type {LogLimits} from './engine/log-limits.ts';
import {encodeLog, type LogPart} from './engine/log-record.ts';
import type {GroupWrites} from './engine/staging.ts';

/** Writes of a planned group. */
export interface GroupRequest {
  readonly head: Head;
  readonly writes: GroupWrites;
  /** The same changes as the log gets. */
  readonly log: LogPart;
}

export interface GroupOptions {
  /** Id of the group. */
  readonly group: string;
  /** Id of the process. */
  readonly writer: string;
  /** Ids that callers gave to the commits of the group. */
  readonly ids: readonly (string | undefined)[];
  /** Result of each of these commits that is planned; undefined for the others. */
  readonly results: readonly (CommitResult | Error | undefined)[];
  readonly logLimits: LogLimits;
  /** End of the part of the log that is no longer needed. */
  readonly trimmed: LogPosition;
}

/** Number of eras whose results are kept: the present one, and the one before. */
const ERAS_KEPT = 2;

/**
 * Returns the number of commits that have an id of their caller, and happened. Their results are kept even if they changed nothing: sent
 * again, they could change what was written since.
 */
export function countNamed(ids: GroupOptions['ids'], results: GroupOptions['results']): number {
  return ids.filter((id, index) => id !== undefined && hasHappened(results[index])).length;
}

/** Returns what a group writes. Without changes and ids it is only the time, in the head. */
export function describeGroup(
  {base, plan}: {readonly base: KnownHead; readonly plan: Plan},
  {group, writer, ids, results, logLimits, trimmed}: GroupOptions,
): GroupRequest {
  const {changes, updatedAtMs, nowMs} = plan;
  const log = encodeLog({changes, updatedAtMs}, {start: base.head.end, group, limits: logLimits});
  const named = changes.length === 0 ? countNamed(ids, results) : 0;
  const head: Head = {
    ...base.head,
    ...{end: log.end, trimmed, clockMs: Math.max(base.head.clockMs, nowMs), group, writer},
    ...(named === 0 ? {} : {unchanged: (base.head.unchanged ?? 0) + named}),
  };
  const isKept = changes.length > 0 || named > 0;
  const found = isKept ? encodeResults(group, results, {ids, era: eraOf(base.head)}) : [];
  return {
    head,
    log: {changes, updatedAtMs},
    writes: {
      puts: [...putsOf(plan, base.head), ...log.puts, ...found],
      removes: [...plan.writes].flatMap(([key, {put}]) => (put === undefined ? [entryKey(key)] : [])),
      removedRanges: rangesToTrim(base.head, head),
      usesReserve: [...plan.writes.values()].every(({put}) => put === undefined),
    },
  };
}

function hasHappened(result: CommitResult | Error | undefined): boolean {
  return result !== undefined && !(result instanceof Error);
}

/** Returns the records of the entries whose values are not deferred to the next checkpoint. */
function* putsOf({writes}: Plan, head: Head): Iterable<GroupWrites['puts'][number]> {
  for (const [key, write] of writes) {
    if (write.put === undefined) continue;
    const {revision, put} = write;
    if (!isDeferred({revision, sizeBytes: put.json.length}, head)) yield [entryKey(key), encodeRecord(key, put, write)];
  }
}

function encodeRecord(key: Key, put: StorePut, header: PlannedWrite): Buffer {
  const record = recordOf(put, header.writtenBy);
  endEntryRecord(record, key, header);
  return record;
}

function rangesToTrim(before: Head, after: Head): GroupWrites['removedRanges'] {
  const ranges = [];
  if (after.trimmed.revision > before.trimmed.revision) ranges.push(logUpTo(after.trimmed.revision));
  const era = eraOf(after);
  if (era > eraOf(before) && era >= ERAS_KEPT) ranges.push(resultsBefore(era + 1 - ERAS_KEPT));
  return ranges;
}
