import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage} from '../failures/usage.ts';
import {indentJson} from '../output/indent-json.ts';
import {connect} from '../service/connection.ts';
import {escapeText} from '../terminal/escape.ts';

/** `crewroom identity`: prints the document that plugins get. */
export async function run(call: CallOf<'identity'>): Promise<ExitCode> {
  const {stdout} = call.context;
  const {pretty, json} = call.flags;
  if (pretty && json)
    throw invalidUsage('identity', 'it prints the document as served (--json) or indented (--pretty)');
  const {client} = await connect(call);
  const {text} = await client.identity();
  const shown = pretty || (stdout.isTerminal && !json) ? indentJson(text) : text;
  await stdout.write(stdout.isTerminal ? escapeText(shown) : shown);
  if (pretty || stdout.isTerminal) await stdout.write('\n');
  return EXIT.ok;
}
