import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {openAddress} from '../../system/open-address.ts';
import type {CallOf} from '../catalogue/call.ts';
import {refusedUsage} from '../failures/usage.ts';
import {connect} from '../service/connection.ts';
import {createOwnerCode} from '../service/owner-code.ts';
import {jsonLine} from '../terminal/escape.ts';
import {reportDone} from '../terminal/report-done.ts';

/**
 * `crewroom console`: opens the console with a code of the owner. The code is printed only with `--print`, or on a terminal without a browser: a pipe, a
 * log and the lines that a terminal keeps are no places for it.
 */
export async function run(call: CallOf<'console'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {stdout, stderr} = context;
  if (flags.end) return endPages(call);
  if (!flags.print && !stdout.isTerminal)
    throw refusedUsage(
      'console',
      'it opens a browser only from a terminal',
      'Add --print for an address that opens one console as the owner',
    );
  const {url, expiresInSeconds} = await createOwnerCode(call);
  const problem = flags.print ? undefined : await openAddress(url, context);
  const valid = `It opens one console, within ${expiresInSeconds} seconds`;
  if (flags.print && flags.json) await stdout.write(jsonLine({url, expiresInSeconds}));
  else if (flags.print) await stdout.write(`${url}\n`);
  else if (problem === undefined) return reportDone(call, {opened: true}, 'Opened the console as the owner');
  else await stdout.write(`${url}\n`);
  if (stdout.isTerminal && !flags.json)
    await stderr.write(problem === undefined ? `${valid}\n` : `${valid}. Open it yourself: ${problem}\n`);
  return EXIT.ok;
}

/** Ends the rights of all consoles that were opened so. */
async function endPages(call: CallOf<'console'>): Promise<ExitCode> {
  const {send} = await connect(call, {asOwner: true});
  await send('DELETE', '/api/access/pages', () => undefined);
  return reportDone(call, {ended: true}, 'No open console is the owner any more');
}
