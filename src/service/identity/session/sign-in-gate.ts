import {isDeepStrictEqual} from 'node:util';
import {
  CREDENTIAL_LENGTH_MAX,
  type ServedSignInOptions,
  type SessionStatus,
  type SignIn,
} from '../../../core/domain/identity/identity.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import type {DocumentProblem} from '../../../core/failures/members/problems.ts';
import {untilAborted} from '../../../core/time/until-aborted.ts';

/** A sign-in with valid credentials, and the permission of the caller. */
export interface RequestedSignIn extends SignIn {
  /** True if the caller may name a back end that is not configured. */
  readonly mayNameBackEnd: boolean;
}

interface SigningIn {
  readonly request: RequestedSignIn;
  readonly controller: AbortController;
  readonly done: Promise<SessionStatus>;
}

/** Returns the failure of a sign-in that is not offered. */
export function signInRefused(problem: string): AppError {
  return new AppError({code: 'not-offered', what: 'sign-in', problem});
}

/** Checks sign-ins in front of a function that signs in, and limits them to one at a time. */
export class SignInGate {
  readonly #run: (request: RequestedSignIn, signal: AbortSignal) => Promise<SessionStatus>;
  #current: SigningIn | undefined;

  constructor(run: (request: RequestedSignIn, signal: AbortSignal) => Promise<SessionStatus>) {
    this.#run = run;
  }

  /**
   * Signs in; an identical concurrent call shares the result. The signal ends this call only.
   *
   * @throws {AppError} `invalid-body` with every problem of the credentials; `busy` during another sign-in.
   */
  async enter(signIn: SignIn, {signal, mayNameBackEnd = true}: ServedSignInOptions): Promise<SessionStatus> {
    signal?.throwIfAborted();
    const signingIn = this.#start({...readCredentials(signIn), mayNameBackEnd});
    return signal === undefined ? signingIn : untilAborted(signingIn, signal);
  }

  /** Aborts the sign-in in progress for this reason, and waits until it has ended. */
  async abort(reason: AppError): Promise<void> {
    this.#current?.controller.abort(reason);
    await this.#current?.done.catch(() => {});
  }

  #start(request: RequestedSignIn): Promise<SessionStatus> {
    const current = this.#current;
    // A double click is one sign-in.
    if (current !== undefined && isDeepStrictEqual(current.request, request)) return current.done;
    if (current !== undefined) throw new AppError({code: 'busy', what: 'sign-in'});
    const controller = new AbortController();
    const done = this.#run(request, controller.signal).finally(() => {
      this.#current = undefined;
    });
    this.#current = {request, controller, done};
    return done;
  }
}

function readCredentials({scriptURL, username, password}: SignIn): SignIn {
  const problems = [...findProblems('username', username), ...findProblems('password', password)];
  if (problems.length > 0) throw new AppError({code: 'invalid-body', what: 'sign-in', problems});
  return {scriptURL, username: username.trim(), password};
}

/** Returns the problem of a credential, if it has one. Never repeats its text. */
function findProblems(name: 'username' | 'password', text: string): readonly DocumentProblem[] {
  const path = `$.${name}`;
  if (text.trim() === '') return [{path, problem: 'is empty'}];
  if (text.length <= CREDENTIAL_LENGTH_MAX) return [];
  return [{path, problem: `is longer than ${CREDENTIAL_LENGTH_MAX} characters`}];
}
