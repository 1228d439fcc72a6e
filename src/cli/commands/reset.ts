import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {unconfirmed} from '../failures/usage.ts';
import {connect} from '../service/connection.ts';
import {deleteEntries, reportDeleted} from '../service/entry-deletion.ts';
import {canAsk} from '../terminal/prompts.ts';
import {snapshotBefore, type Undo} from '../transfer/snapshot-before.ts';

/** `crewroom reset`: deletes every entry. */
export async function run(call: CallOf<'reset'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {yes = false} = flags;
  if (!yes && !canAsk(context)) throw unconfirmed('reset', 'deletes every entry');
  const service = await connect(call);
  let snapshot: Undo | undefined;
  const before = async (): Promise<void> => {
    snapshot = await snapshotBefore(call, {change: 'reset', prefix: '', service});
  };
  const deleted = await deleteEntries(service.client.entries, {prefix: '', yes, withoutMax: 0, before}, context);
  if (deleted === undefined) return EXIT.failure;
  return reportDeleted(deleted, call, snapshot);
}
