import {CREDENTIAL_LENGTH_MAX, type SignIn} from '../../../domain/identity/session.ts';
import {AppError} from '../../../failures/app-error.ts';
import type {DocumentProblem} from '../../../failures/members/problems.ts';

/** A sign-in with valid credentials, and the permission of the caller. */
export interface RequestedSignIn extends SignIn {
  /** True if the caller may name a back end that is not configured. */
  readonly mayNameBackEnd: boolean;
}

/**
 * Checks the credentials of a sign-in.
 *
 * @throws {AppError} `invalid-sign-in` with every problem.
 */
export function readSignInRequest({scriptURL, username, password}: SignIn, mayNameBackEnd: boolean): RequestedSignIn {
  const problems = [...findProblems('username', username), ...findProblems('password', password)];
  if (problems.length > 0) throw new AppError({code: 'invalid-sign-in', problems});
  return {scriptURL, username: username.trim(), password, mayNameBackEnd};
}

/** Returns the problem of a credential, if it has one. Never repeats its text. */
function findProblems(name: 'username' | 'password', text: string): readonly DocumentProblem[] {
  const path = `$.${name}`;
  if (text.trim() === '') return [{path, problem: 'is empty'}];
  if (text.length <= CREDENTIAL_LENGTH_MAX) return [];
  return [{path, problem: `is longer than ${CREDENTIAL_LENGTH_MAX} characters`}];
}
