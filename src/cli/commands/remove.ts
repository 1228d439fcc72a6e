import type {Entries} from '../../core/domain/entries/entries.ts';
import {type GivenRevision, type Key, parseKey} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {DELETED_WITHOUT_SNAPSHOT_MAX} from '../../service/snapshots/automatic-snapshots.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage} from '../failures/report.ts';
import {connect} from '../service/connection.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {undoLines} from '../transfer/earlier-value.ts';
import {deleteRange, reportDeleted} from '../transfer/entry-deletion.ts';

/** `crewroom delete`: deletes one entry, or all under a prefix. */
export async function deleteEntries(call: CallOf<'delete'>): Promise<CommandOutcome> {
  assertOneTarget(call);
  const [key] = call.arguments;
  if (key !== undefined) return deleteOne(call, key);
  const {prefix = ''} = call.flags;
  return deleteRange(call, {
    command: 'delete',
    effect: 'deletes many entries',
    prefix,
    withoutMax: DELETED_WITHOUT_SNAPSHOT_MAX,
  });
}

function assertOneTarget({arguments: [key], flags: {prefix, ifMatch}}: CallOf<'delete'>): void {
  if ((key === undefined) === (prefix === undefined))
    throw invalidUsage('delete', 'it needs either a KEY or --prefix PREFIX; "crewroom reset" deletes every entry');
  if (prefix !== undefined && ifMatch !== undefined) throw invalidUsage('delete', '--if-match requires a KEY');
  if (prefix === '') throw invalidUsage('delete', 'an empty prefix would delete every entry, as "crewroom reset" does');
}

async function deleteOne(call: CallOf<'delete'>, key: string): Promise<CommandOutcome> {
  const {ifMatch: expected} = call.flags;
  const {entries} = (await connect(call)).client;
  const deletion = {deleted: 1, kept: 0};
  if (call.flags.dryRun) {
    await assertDeletable(entries, parseKey(key), expected);
    return reportDeleted(deletion, call);
  }
  const {deleted, revision} = await entries.delete(key, {expected});
  if (deleted === 0) throw new AppError({code: 'no-entry', key});
  const {lines = [], ...outcome} = reportDeleted(deletion, call);
  return {...outcome, lines: [...lines, ...(await undoLines(call, {entries, key, revision}))]};
}

/** Refuses what the deletion would refuse. It reads no value: an entry that is corrupt can be deleted. */
async function assertDeletable(entries: Entries, key: Key, expected: GivenRevision | undefined): Promise<void> {
  const [found] = (await entries.list({prefix: key, limit: 1})).entries;
  if (expected !== undefined) await entries.transact({checks: [{key, expected}], operations: []});
  else if (found?.key !== key) throw new AppError({code: 'no-entry', key});
}

/** `crewroom reset`: deletes every entry. */
export function reset(call: CallOf<'reset'>): Promise<CommandOutcome> {
  return deleteRange(call, {command: 'reset', effect: 'deletes every entry', prefix: '', withoutMax: 0});
}
