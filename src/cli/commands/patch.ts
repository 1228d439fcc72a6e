import type {ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {readRevision} from '../input/flag-values.ts';
import {readValue} from '../input/value-input.ts';
import {connect} from '../service/connection.ts';
import {reportDone} from '../terminal/report-done.ts';

/** `crewroom patch`: merges a patch into a value. */
export async function run(call: CallOf<'patch'>): Promise<ExitCode> {
  const [key = '', argument = ''] = call.arguments;
  const expected = readRevision(call.flags.ifMatch, {command: 'patch', flag: '--if-match'});
  const {client} = await connect(call);
  const patch = await readValue(argument, call.context);
  const {revision} = await client.entries.patch(key, patch, {expected});
  return reportDone(call, {key, revision: String(revision)}, `Patched at revision ${revision}`);
}
