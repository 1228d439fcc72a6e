import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage} from '../failures/report.ts';
import {readRevision, readTtl} from '../input/flag-values.ts';
import {connect} from '../service/connection.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

/** `crewroom touch`: changes when an entry expires, and keeps its value. */
export async function run(call: CallOf<'touch'>): Promise<CommandOutcome> {
  const [key = ''] = call.arguments;
  const ttlSeconds = readLife(call.flags);
  const expected = readRevision(call.flags.ifMatch, {command: 'touch', flag: '--if-match'});
  const {client} = await connect(call);
  const {revision, etag} = await client.entries.transact({
    checks: expected === undefined ? [] : [{key, expected}],
    operations: [{kind: 'touch', key, ttlSeconds}],
  });
  const life = ttlSeconds === null ? 'it does not expire' : `it expires in ${call.flags.ttl?.replace(/\d$/, '$&s')}`;
  return {json: {key, revision: String(revision), etag}, lines: [`Touched at revision ${revision}: ${life}`]};
}

function readLife({ttl, forever}: CallOf<'touch'>['flags']): number | null {
  if ((ttl === undefined) === (forever === undefined))
    throw invalidUsage('touch', 'it needs either --ttl TIME or --forever');
  return ttl === undefined ? null : readTtl(ttl, 'touch');
}
