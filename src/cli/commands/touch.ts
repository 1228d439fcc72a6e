import type {ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage} from '../failures/usage.ts';
import {readTtl} from '../input/flag-values.ts';
import {connect} from '../service/connection.ts';
import {reportDone} from '../terminal/report-done.ts';

/** `crewroom touch`: changes when an entry expires, and keeps its value. */
export async function run(call: CallOf<'touch'>): Promise<ExitCode> {
  const [key = ''] = call.arguments;
  const ttlSeconds = readLife(call.flags);
  const {client} = await connect(call);
  const {revision} = await client.entries.touch(key, ttlSeconds);
  const life = ttlSeconds === null ? 'it does not expire' : `it expires in ${call.flags.ttl?.replace(/\d$/, '$&s')}`;
  return reportDone(call, {key, revision: String(revision)}, `Touched at revision ${revision}: ${life}`);
}

function readLife({ttl, forever}: CallOf<'touch'>['flags']): number | null {
  if ((ttl === undefined) === (forever === undefined))
    throw invalidUsage('touch', 'it needs either --ttl TIME or --forever');
  return ttl === undefined ? null : readTtl(ttl, 'touch');
}
