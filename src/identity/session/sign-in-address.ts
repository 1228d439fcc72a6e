import {AppError} from '../../domain/failure.ts';
import type {SignIn} from '../../domain/session.ts';
import {readScriptUrl} from '../backend/script-url.ts';

/** The back ends that the user has chosen. */
export interface ChosenBackEnds {
  /** The one of the airline, where an airline is configured. */
  readonly configured?: string | undefined;
  /** The one that somebody signed in to last, and did not sign out of. */
  readonly last?: string | undefined;
}

/**
 * Where to sign in. A password goes nowhere but where the user wants it: to the back end of the airline that is configured;
 * without one, to the back end that the caller names, which a web page may not.
 *
 * @throws {AppError} `invalid-sign-in`.
 */
export function chooseScriptUrl(
  {scriptURL: named, mayNameBackEnd}: SignIn,
  {configured, last}: ChosenBackEnds,
): string {
  const only = configured ?? (mayNameBackEnd ? undefined : last);
  if (named === undefined) return only ?? last ?? refuse('is missing, and no airline is configured');
  const reading = readScriptUrl(named);
  if ('problem' in reading) return refuse(reading.problem);
  if (only === undefined && !mayNameBackEnd)
    return refuse('is for a program to choose, not for a page: configure the airline');
  if (only !== undefined && reading.scriptURL !== only)
    return refuse(`is not that of the airline, ${JSON.stringify(only)}`);
  return reading.scriptURL;
}

function refuse(problem: string): never {
  throw new AppError({code: 'invalid-sign-in', problems: [{path: '$.scriptURL', problem}]});
}
