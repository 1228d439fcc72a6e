import {AppError, type Failure} from '../../domain/failure.ts';
import type {SessionStatus, SignIn} from '../../domain/session.ts';

/** Lets one sign-in through at a time. */
export interface SignInGate {
  /** @throws {AppError} `sign-in-busy` while another is under way. */
  enter(signIn: SignIn): Promise<SessionStatus>;
  /** Ends the one that is under way with this failure, and waits for that. */
  abort(failure: Failure): Promise<void>;
}

/** Makes a gate before what signs in. */
export function createSignInGate(run: (signIn: SignIn, signal: AbortSignal) => Promise<SessionStatus>): SignInGate {
  let current:
    | {readonly signIn: SignIn; readonly controller: AbortController; readonly done: Promise<SessionStatus>}
    | undefined;
  return {
    enter: signIn => {
      // Whoever clicks twice wants to sign in once.
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
