import type {CallOf} from '../catalogue/commands.ts';
import {readRevision} from '../input/flag-values.ts';
import {readValue} from '../input/value-input.ts';
import {connect} from '../service/connection.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

/** `crewroom patch`: merges a patch into a value. */
export async function run(call: CallOf<'patch'>): Promise<CommandOutcome> {
  const [key = '', argument = ''] = call.arguments;
  const expected = readRevision(call.flags.ifMatch, {command: 'patch', flag: '--if-match'});
  const {client} = await connect(call);
  const patch = await readValue(argument, call.context);
  const {revision, etag} = await client.entries.patch(key, patch, {expected});
  return {json: {key, revision: String(revision), etag}, lines: [`Patched at revision ${revision}`]};
}
