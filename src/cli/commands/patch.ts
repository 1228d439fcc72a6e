import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {PATCH_SPEC} from '../catalogue/data-commands.ts';
import {readRevision} from '../input/flag-values.ts';
import {readValue} from '../input/value-input.ts';
import {connect} from '../service/connection.ts';
import {jsonLine} from '../terminal/escape.ts';

/** `crewroom patch`: merges a patch into a value. */
export async function run(call: CallOf<typeof PATCH_SPEC>): Promise<ExitCode> {
  const [key = '', argument = ''] = call.arguments;
  const {stdout, stderr} = call.context;
  const {ifMatch, json} = call.flags;
  const expected = ifMatch === undefined ? undefined : readRevision(ifMatch, {command: 'patch', flag: '--if-match'});
  const {client} = await connect(call);
  const patch = await readValue(argument, call.context);
  const {revision} = await client.entries.patch(key, patch, {expected});
  if (json) await stdout.write(jsonLine({key, revision: String(revision)}));
  else if (stderr.isTerminal) await stderr.write(`Patched at revision ${revision}\n`);
  return EXIT.ok;
}
