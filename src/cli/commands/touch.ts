import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {TOUCH_SPEC} from '../catalogue/data-commands.ts';
import type {FlagsOf} from '../catalogue/spec.ts';
import {invalidUsage} from '../failures/usage.ts';
import {readTtl} from '../input/flag-values.ts';
import {connect} from '../service/connection.ts';
import {jsonLine} from '../terminal/escape.ts';

/** `crewroom touch`: changes when an entry expires, and keeps its value. */
export async function run(call: CallOf<typeof TOUCH_SPEC>): Promise<ExitCode> {
  const [key = ''] = call.arguments;
  const {stdout, stderr} = call.context;
  const ttlSeconds = readLife(call.flags);
  const {client} = await connect(call);
  const {revision} = await client.entries.touch(key, ttlSeconds);
  if (call.flags.json) await stdout.write(jsonLine({key, revision: String(revision)}));
  else if (stderr.isTerminal) {
    const life = ttlSeconds === null ? 'it does not expire' : `it expires in ${call.flags.ttl?.replace(/\d$/, '$&s')}`;
    await stderr.write(`Touched at revision ${revision}: ${life}\n`);
  }
  return EXIT.ok;
}

function readLife({ttl, forever}: FlagsOf<typeof TOUCH_SPEC>): number | null {
  if ((ttl === undefined) === (forever === undefined))
    throw invalidUsage('touch', 'it needs either --ttl TIME or --forever');
  return ttl === undefined ? null : readTtl(ttl, 'touch');
}
