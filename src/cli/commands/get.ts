import {AppError} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {entryLine} from '../output/entry-json.ts';
import {connect} from '../service/connection.ts';
import {escapeText} from '../terminal/escape.ts';

/** `crewroom get`: prints the value of an entry, byte for byte. */
export async function run(call: CallOf<'get'>): Promise<ExitCode> {
  const [key = ''] = call.arguments;
  const {stdout} = call.context;
  const {client} = await connect(call);
  const entry = await client.entries.get(key);
  if (entry === undefined) throw new AppError({code: 'no-entry', key});
  if (call.flags.json) await stdout.write(entryLine(entry));
  // A terminal would obey control characters, and the prompt of the shell should begin on a new line.
  else if (stdout.isTerminal) await stdout.write(`${escapeText(Buffer.from(entry.json).toString())}\n`);
  // A file gets exactly the value.
  else await stdout.write(entry.json);
  return EXIT.ok;
}
