import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {openAddress} from '../../system/open-address.ts';
import type {CallOf} from '../catalogue/call.ts';
import {createOwnerCode} from '../service/owner-code.ts';
import {jsonLine} from '../terminal/escape.ts';

/** `crewroom console`: prints the address of the console with a code of the owner, and on a terminal opens it. */
export async function run(call: CallOf<'console'>): Promise<ExitCode> {
  const {
    context,
    flags: {json, noOpen},
  } = call;
  const {stdout, stderr} = context;
  const {url, expiresInSeconds} = await createOwnerCode(call);
  if (json) await stdout.write(jsonLine({url, expiresInSeconds}));
  else await stdout.write(`${url}\n`);
  if (json || !stdout.isTerminal) return EXIT.ok;
  const problem = noOpen ? undefined : await openAddress(url, context);
  const valid = `It opens one console, within ${expiresInSeconds} seconds`;
  await stderr.write(problem === undefined ? `${valid}\n` : `${valid}. Open it yourself: ${problem}\n`);
  return EXIT.ok;
}
