import {script} from '@bomb.sh/tab';
import {PROGRAM_NAME, SHELLS} from '../catalogue.ts';
import type {Call} from '../command.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';
import {invalidUsage} from '../usage.ts';

/** `crewroom completion`: the script that a shell asks us with. */
export async function run(call: Call): Promise<ExitCode> {
  const [given] = call.arguments;
  const shell = SHELLS.find(name => name === given);
  if (shell === undefined)
    throw invalidUsage('completion', `SHELL has to be bash, zsh, fish or powershell, not ${JSON.stringify(given)}`);
  script(shell, PROGRAM_NAME, PROGRAM_NAME);
  return EXIT.ok;
}
