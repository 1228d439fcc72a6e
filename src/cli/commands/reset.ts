import type {CallOf} from '../catalogue/call.ts';
import type {RESET} from '../catalogue/data-commands.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {invalidUsage} from '../failures/usage.ts';
import {connect} from '../service/connection.ts';
import {deleteEntries, tellDeleted} from '../service/entry-deletion.ts';
import {canAsk} from '../terminal/prompts.ts';

/** `crewroom reset`: deletes every entry. */
export async function run(call: CallOf<typeof RESET>): Promise<ExitCode> {
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
