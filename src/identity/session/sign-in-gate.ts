import {AppError} from '../../domain/app-error.ts';
import type {Failure} from '../../domain/failure.ts';
import type {SessionStatus, SignIn} from '../../domain/session.ts';

/** Limits sign-ins to one at a time. */
export interface SignInGate {
  /** Signs in; an identical concurrent call shares the result. @throws {AppError} `sign-in-busy` during another sign-in. */
  enter(signIn: SignIn): Promise<SessionStatus>;
  /** Aborts the sign-in in progress with this failure, and waits until it has ended. */
  abort(failure: Failure): Promise<void>;
}

/** Returns a gate in front of a function that signs in. */
export function createSignInGate(run: (signIn: SignIn, signal: AbortSignal) => Promise<SessionStatus>): SignInGate {
  let current:
    | {readonly signIn: SignIn; readonly controller: AbortController; readonly done: Promise<SessionStatus>}
    | undefined;
  return {
    enter: signIn => {
      // A double click is one sign-in.
      if (current !== undefined && isSame(current.signIn, signIn)) return current.done;
      if (current !== undefined) return Promise.reject(new AppError({code: 'sign-in-busy'}));
      const controller = new AbortController();
      const done = run(signIn, controller.signal).finally(() => {
        current = undefined;
      });
      current = {signIn, controller, done};
      return done;
    },
    abort: async failure => {
      current?.controller.abort(new AppError(failure));
      await current?.done.catch(() => {});
    },
  };
}

function isSame(a: SignIn, b: SignIn): boolean {
  const isSamePlace = a.scriptURL === b.scriptURL && a.mayNameBackEnd === b.mayNameBackEnd;
  return isSamePlace && a.username === b.username && a.password === b.password;
}
