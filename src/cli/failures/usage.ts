import {AppError} from '../../failures/app-error.ts';

/** Creates the failure for a command line that cannot be run; `command` is undefined if it names no command. */
export function invalidUsage(command: string | undefined, problem: string): AppError {
  return new AppError({
    code: 'invalid-usage',
    command: command === undefined ? 'crewroom' : `crewroom ${command}`,
    problem,
  });
}

/** Problem of a flag `--username` without a name: a script may have an empty variable there. */
export const EMPTY_USERNAME = '--username is empty';

/** Creates the failure for a command that has to be confirmed and cannot ask; `effect` is such as `deletes every entry`. */
export function unconfirmed(command: string, effect: string): AppError {
  return invalidUsage(command, `it ${effect}: confirm that on a terminal, or with --yes`);
}
