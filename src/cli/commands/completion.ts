import {script} from '@bomb.sh/tab';
import {PROGRAM_NAME} from '../catalogue.ts';
import type {Call} from '../command.ts';
import type {Shell} from '../completion.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';

/** `crewroom completion`: the script that a shell asks us with. */
export async function run(call: Call): Promise<ExitCode> {
  script(call.arguments[0] as Shell, PROGRAM_NAME, PROGRAM_NAME);
  return EXIT.ok;
}
