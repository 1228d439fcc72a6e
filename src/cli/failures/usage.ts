import {AppError} from '../../domain/failure.ts';

/** Makes the failure for a command line that makes no sense; `command` is undefined if it names none. */
export function invalidUsage(command: string | undefined, problem: string): AppError {
  return new AppError({
    code: 'invalid-usage',
    command: command === undefined ? 'crewroom' : `crewroom ${command}`,
    problem,
  });
}
