import type {Switch} from '../catalogue.ts';
import type {Call} from '../command.ts';
import {connect} from '../connection.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';
import {indentJson} from '../indent-json.ts';

/** `crewroom identity`: the document that plugins get. */
export async function run(call: Call<{readonly json: Switch}>): Promise<ExitCode> {
  const {stdout} = call.context;
  const {client} = await connect(call);
  const {text} = await client.identity();
  await stdout.write(stdout.isTerminal && !call.flags.json ? indentJson(text) : text);
  if (stdout.isTerminal) await stdout.write('\n');
  return EXIT.ok;
}
