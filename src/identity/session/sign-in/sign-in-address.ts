import {AppError} from '../../../failures/app-error.ts';
import {readScriptUrl} from '../../backend/script-url.ts';
import type {RequestedSignIn} from './requested-sign-in.ts';

/** The back ends that the user chose before. */
export interface ChosenBackEnds {
  /** Address of the airline that is configured. */
  readonly configured?: string | undefined;
  /** Address of the last sign-in, if no sign-out followed. */
  readonly last?: string | undefined;
}

/**
 * Chooses the address to sign in at. A password is sent only where the user wants it: to the airline that is configured or, if
 * none is, to the back end that the caller names; web pages may not name one.
 *
 * @throws {AppError} `invalid-sign-in`.
 */
export function chooseScriptUrl(
  {scriptURL: named, mayNameBackEnd}: Pick<RequestedSignIn, 'scriptURL' | 'mayNameBackEnd'>,
  {configured, last}: ChosenBackEnds,
): string {
  const only = configured ?? (mayNameBackEnd ? undefined : last);
  if (named === undefined) return only ?? last ?? refuse('is missing, and no airline is configured');
  const reading = readScriptUrl(named);
  if ('problem' in reading) return refuse(reading.problem);
  if (only === undefined && !mayNameBackEnd)
    return refuse('may be named by programs only, not by web pages: configure the airline');
  if (only !== undefined && reading.scriptURL !== only)
    return refuse(`is not the address of the airline, ${JSON.stringify(only)}`);
  return reading.scriptURL;
}

function refuse(problem: string): never {
  throw new AppError({code: 'invalid-sign-in', problems: [{path: '$.scriptURL', problem}]});
}
