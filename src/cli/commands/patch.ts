import type {CallOf} from '../catalogue/commands.ts';
import {readRevision} from '../input/flag-values.ts';
import {readValue} from '../input/value-input.ts';
import {connect} from '../service/connection.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {undoLines} from '../transfer/earlier-value.ts';

/** `crewroom patch`: merges a patch into a value. */
export async function run(call: CallOf<'patch'>): Promise<CommandOutcome> {
  const [key = '', argument = ''] = call.arguments;
  const expected = readRevision(call.flags.ifMatch, {command: 'patch', flag: '--if-match'});
  const {entries} = (await connect(call)).client;
  const patch = await readValue(argument, call.context);
  const {revision, etag} = await entries.patch(key, patch, {expected});
  const lines = [
    `Patched at revision ${revision}`,
    ...(await undoLines(call, {entries, key, revision, what: 'stored'})),
  ];
  return {json: {key, revision: String(revision), etag}, lines};
}
