import type {ExitCode} from '../../failures/exit-codes.ts';
import {DELETED_WITHOUT_SNAPSHOT_MAX} from '../../snapshots/automatic-snapshots.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage} from '../failures/usage.ts';
import {readRevision} from '../input/flag-values.ts';
import {connect} from '../service/connection.ts';
import {deleteRange, reportDeleted} from '../transfer/entry-deletion.ts';

/** `crewroom delete`: deletes one entry, or all under a prefix. */
export async function run(call: CallOf<'delete'>): Promise<ExitCode> {
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

function assertOneTarget({arguments: [key], flags: {prefix, all, ifMatch}}: CallOf<'delete'>): void {
  const isRange = prefix !== undefined || all === true;
  if (key === undefined && !isRange) throw invalidUsage('delete', 'it needs a KEY, --prefix PREFIX or --all');
  if (key !== undefined && isRange) throw invalidUsage('delete', 'a KEY cannot be combined with --prefix or --all');
  if (isRange && ifMatch !== undefined) throw invalidUsage('delete', '--if-match requires a KEY');
  if (prefix === '' && !all)
    throw invalidUsage('delete', 'an empty prefix would delete every entry; use --all for that');
  if (all && prefix !== undefined && prefix !== '')
    throw invalidUsage('delete', '--all deletes every entry, not only those under --prefix');
}

async function deleteOne(call: CallOf<'delete'>, key: string): Promise<ExitCode> {
  const expected = readRevision(call.flags.ifMatch, {command: 'delete', flag: '--if-match'});
  const {client} = await connect(call);
  await client.entries.delete(key, {expected});
  return reportDeleted({deleted: 1, kept: 0}, call);
}
