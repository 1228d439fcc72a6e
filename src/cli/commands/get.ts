import {AppError} from '../../domain/failure.ts';
import type {Switch} from '../catalogue.ts';
import type {Call} from '../command.ts';
import {connect} from '../connection.ts';
import {entryLine} from '../entry-json.ts';
import {escapeText} from '../escape.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';

/** `crewroom get`: the value of an entry, byte for byte. */
export async function run(call: Call<{readonly json: Switch}>): Promise<ExitCode> {
  const [key = ''] = call.arguments;
  const {stdout} = call.context;
  const {client} = await connect(call);
  const entry = await client.entries.get(key);
  if (entry === undefined) throw new AppError({code: 'no-entry', key});
  const output = call.flags.json ? entryLine(entry) : entry.json;
  // A terminal would obey what stands in a value; whoever reads a pipe gets the value itself.
  await stdout.write(stdout.isTerminal ? escapeText(new TextDecoder().decode(output)) : output);
  // The prompt of a shell should not follow on the same line; a file should hold just the value.
  if (stdout.isTerminal && !call.flags.json) await stdout.write('\n');
  return EXIT.ok;
}
