import {AppError} from '../../core/failures/app-error.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {entryLine} from '../output/entry-json.ts';
import {connect} from '../service/connection.ts';
import {escapeText} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

/** `crewroom get`: prints the value of an entry, byte for byte. */
export async function run(call: CallOf<'get'>): Promise<CommandOutcome> {
  const [key = ''] = call.arguments;
  const {stdout} = call.context;
  const {client} = await connect(call);
  const entry = await client.entries.get(key);
  if (entry === undefined) throw new AppError({code: 'no-entry', key});
  // A terminal would obey control characters, and the prompt of the shell should begin on a new line. A file gets exactly the value.
  const text = stdout.isTerminal ? `${escapeText(Buffer.from(entry.json).toString())}\n` : entry.json;
  return {json: entryLine(entry), text};
}
