import {AppError} from '../../failures/app-error.ts';
import {AdvisedError} from './report.ts';

/** Creates the failure for a command line that cannot be run; `command` is undefined if it names no command. */
export function invalidUsage(command: string | undefined, problem: string): AppError {
  return new AppError({
    code: 'invalid-usage',
    command: command === undefined ? 'crewroom' : `crewroom ${command}`,
    problem,
  });
}

/** Creates the same failure where `--help` would not help, with advice of its own. */
export function refusedUsage(command: string, problem: string, advice: string): AdvisedError {
  return new AdvisedError(invalidUsage(command, problem), advice);
}

/** Advice for a command of the user that cannot be started. */
export const CANNOT_START_ADVICE = 'Check the name of the program, and that it is installed';

/** Problem of a flag `--username` without a name: a script may have an empty variable there. */
export const EMPTY_USERNAME = '--username is empty';

/** Creates the failure for a command that has to be confirmed and cannot ask; `effect` is such as `deletes every entry`. */
export function unconfirmed(command: string, effect: string): AdvisedError {
  return refusedUsage(command, `it ${effect}`, 'Confirm that on a terminal, or with --yes');
}
