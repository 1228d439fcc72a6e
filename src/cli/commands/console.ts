import {openAddress} from '../../platform/system/open-address.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {refusedUsage} from '../failures/report.ts';
import {connect} from '../service/connection.ts';
import {createOwnerCode} from '../service/owner-code.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

/**
 * `crewroom console`: opens the console with a code of the owner. The code is printed only with `--print`, or on a terminal without a browser: a pipe, a
 * log and the lines that a terminal keeps are no places for it.
 */
export async function run(call: CallOf<'console'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const {stdout} = context;
  if (flags.end) return endPages(call);
  if (!flags.print && !stdout.isTerminal)
    throw refusedUsage(
      'console',
      'it opens a browser only from a terminal',
      'Add --print for an address that opens one console as the owner',
    );
  const {url, expiresInSeconds} = await createOwnerCode(call);
  const problem = flags.print ? undefined : await openAddress(url, context);
  const json = {url, expiresInSeconds};
  if (!flags.print && problem === undefined) return {json: {opened: true}, lines: ['Opened the console as the owner']};
  const valid = `It opens one console, within ${expiresInSeconds} seconds`;
  const note = problem === undefined ? `${valid}\n` : `${valid}. Open it yourself: ${problem}\n`;
  return {json, text: `${url}\n`, note: stdout.isTerminal ? note : ''};
}

/** Ends the rights of all consoles that were opened so. */
async function endPages(call: CallOf<'console'>): Promise<CommandOutcome> {
  const {send} = await connect(call, {asOwner: true});
  await send('DELETE', '/api/access/pages', () => undefined);
  return {json: {ended: true}, lines: ['No open console is the owner any more']};
}
