import {AppError} from '../../failures/app-error.ts';
import type {Failure, FailureCode} from '../../failures/failure.ts';
import {describeProblem} from '../../failures/members/problems.ts';
import type {Finding} from '../finding.ts';
import {findingOfCallFailure} from './call-failure.ts';

/** Advice for operators of a back end; the advice of the failures is for pilots. */
const FIXES: {readonly [C in FailureCode]?: string} = {
  'wrong-credentials':
    'Check the user name and the password; a pilot who signed up through Discord or VATSIM gives the API key of the profile page as the password',
  'pilot-not-confirmed': 'Confirm the pilot in the administration of the airline, or take another one',
  'account-broken':
    'Give the account a rank and an airline, and check if it is retired; the error log of PHP or of the framework has the line',
  'session-unknown':
    'Keep the session that the sign-in returned: another sign-in of the same pilot, or an emptied table, ends it',
  'invalid-pilot': 'Answer with each member in its type; see "The pilot" in docs/back-ends.md of Crewroom',
};

/** Judgement of a back end without `pilot/verify`. */
export const VERIFY_NOT_OFFERED = {
  level: 'warning',
  detail: 'it is not offered, so programs use a session that the airline ended until its own end',
  fix: 'Answer POST pilot/verify with the pilot, and with 401 and {"message": "…"} for a session that is not valid',
} as const satisfies Omit<Finding, 'check'>;

/** Turns the refusal of a sign-in or session into one finding for each problem. @throws Any error that is not a failure. */
export function findingsOfRefusal(check: string, error: unknown): readonly Finding[] {
  if (!(error instanceof AppError)) throw error;
  const {failure} = error;
  const fix = ('hint' in failure ? failure.hint : undefined) ?? FIXES[failure.code];
  if (fix === undefined || FIXES[failure.code] === undefined) return [findingOfCallFailure(check, error)];
  return detailsOf(failure).map(detail => ({check, level: 'problem', detail, fix}));
}

function detailsOf(failure: Failure): readonly string[] {
  switch (failure.code) {
    case 'wrong-credentials':
      return [`the user name or the password is refused${said(failure)}`];
    case 'pilot-not-confirmed':
      return [`the pilot is not confirmed yet${said(failure)}`];
    case 'account-broken':
      return [
        `${failure.problem ?? 'it returned an empty response for this pilot'} (${failure.backEndStatus})${said(failure)}`,
      ];
    case 'session-unknown':
      return [`the session is refused${said(failure)}`];
    case 'invalid-pilot':
      return failure.problems.map(problem => `the pilot: ${describeProblem(problem)}`);
    default:
      return [failure.code];
  }
}

function said({message}: {readonly message?: string}): string {
  return message === undefined ? '' : `: ${JSON.stringify(message)}`;
}
