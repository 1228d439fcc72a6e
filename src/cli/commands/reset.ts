import type {Call} from '../catalogue/call.ts';
import type {Switch} from '../catalogue/commands.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {invalidUsage} from '../input/flag-values.ts';
import {connect} from '../service/connection.ts';
import {deleteEntries, tellDeleted} from '../service/entry-deletion.ts';
import {canAsk} from '../terminal/prompt.ts';

/** The flags of `crewroom reset`. */
export interface ResetFlags {
  readonly yes: Switch;
  readonly json: Switch;
}

/** `crewroom reset`: deletes every entry. */
export async function run(call: Call<ResetFlags>): Promise<ExitCode> {
  const {context, flags} = call;
  const {yes = false, json = false} = flags;
  if (!yes && !canAsk(context))
    throw invalidUsage('reset', 'nobody is there to confirm that every entry goes; --yes does');
  const {client} = await connect(call);
  const deleted = await deleteEntries(client.entries, {prefix: '', yes}, context);
  if (deleted === undefined) return EXIT.failure;
  await tellDeleted(deleted, {context, json});
  return EXIT.ok;
}
