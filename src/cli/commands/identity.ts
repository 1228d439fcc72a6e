import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage} from '../failures/report.ts';
import {indentJson} from '../output/indent-json.ts';
import {connect} from '../service/connection.ts';
import {escapeText} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

/** `crewroom identity`: prints the document that plugins get. */
export async function run(call: CallOf<'identity'>): Promise<CommandOutcome> {
  const {stdout} = call.context;
  const {pretty, json} = call.flags;
  if (pretty && json)
    throw invalidUsage('identity', 'it prints the document as served (--json) or indented (--pretty)');
  const {client} = await connect(call);
  const {text} = await client.identity();
  const asLine = (shown: string): string => (stdout.isTerminal ? `${escapeText(shown)}\n` : shown);
  const shown = pretty || stdout.isTerminal ? indentJson(text) : text;
  return {json: asLine(text), text: asLine(pretty && !stdout.isTerminal ? `${shown}\n` : shown)};
}
