import type {Change} from '../../core/domain/commits/store.ts';
import type {Key} from '../../core/domain/entries/identifiers.ts';
import {changesOf} from '../format/change-encoding.ts';
import type {EntryState} from '../format/entry-record.ts';
import type {Plan, PlannedWrite} from '../plan/plan.ts';
import type {WalRecord} from './wal-format.ts';

/**
 * Returns the plan of the group in a record of the write-ahead log.
 *
 * @param stateOf Finds the state of an entry before the group.
 */
export function replayRecord(record: WalRecord, stateOf: (key: Key) => EntryState | undefined): Plan {
  const {changes, nowMs, updatedAtMs} = record;
  const writes = new Map<Key, PlannedWrite>();
  for (const change of changesOf(changes))
    writes.set(change.key, writeOf(change, updatedAtMs, expiryOf(change.key, stateOf)));
  return {
    writes,
    changes,
    stale: [],
    seenExpiryMs: 0,
    revision: changes.at(-1)?.revision ?? 0,
    nowMs,
    updatedAtMs,
    results: [],
  };
}

/** Ignores an entry that cannot be read: the next sweep removes its row. */
function expiryOf(key: Key, stateOf: (key: Key) => EntryState | undefined): number | undefined {
  try {
    return stateOf(key)?.expiresAtMs;
  } catch {
    return undefined;
  }
}

function writeOf(change: Change, updatedAtMs: number, expiredAtMs: number | undefined): PlannedWrite {
  const {key, revision} = change;
  const common = {revision, updatedAtMs, expiredAtMs, writtenBy: change.writtenBy};
  if (change.kind !== 'put') return {...common, put: undefined, expiresAtMs: undefined};
  if (change.json === undefined) throw new Error(`The write-ahead log has no value for ${JSON.stringify(key)}`);
  return {...common, put: {kind: 'put', key, json: change.json}, expiresAtMs: change.expiresAtMs};
}
