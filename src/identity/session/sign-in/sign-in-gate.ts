import type {ServedSignInOptions, SessionStatus, SignIn} from '../../../domain/identity/session.ts';
import {AppError} from '../../../failures/app-error.ts';
import type {Failure} from '../../../failures/failure.ts';
import {untilAborted} from '../../../time/until-aborted.ts';
import {type RequestedSignIn, readSignInRequest} from './requested-sign-in.ts';

/** Checks sign-ins, and limits them to one at a time. */
export interface SignInGate {
  /**
   * Signs in; an identical concurrent call shares the result. The signal ends this call only.
   *
   * @throws {AppError} `invalid-sign-in`; `sign-in-busy` during another sign-in.
   */
  enter(signIn: SignIn, options: ServedSignInOptions): Promise<SessionStatus>;
  /** Aborts the sign-in in progress with this failure, and waits until it has ended. */
  abort(failure: Failure): Promise<void>;
}

/** Returns a gate in front of a function that signs in. */
export function createSignInGate(
  run: (request: RequestedSignIn, signal: AbortSignal) => Promise<SessionStatus>,
): SignInGate {
  let current:
    | {readonly request: RequestedSignIn; readonly controller: AbortController; readonly done: Promise<SessionStatus>}
    | undefined;
  const start = (request: RequestedSignIn): Promise<SessionStatus> => {
    // A double click is one sign-in.
    if (current !== undefined && isSame(current.request, request)) return current.done;
    if (current !== undefined) throw new AppError({code: 'sign-in-busy'});
    const controller = new AbortController();
    const done = run(request, controller.signal).finally(() => {
      current = undefined;
    });
    current = {request, controller, done};
    return done;
  };
  return {
    enter: async (signIn, {signal, mayNameBackEnd = true}) => {
      signal?.throwIfAborted();
      const signingIn = start(readSignInRequest(signIn, mayNameBackEnd));
      return signal === undefined ? signingIn : untilAborted(signingIn, signal);
    },
    abort: async failure => {
      current?.controller.abort(new AppError(failure));
      await current?.done.catch(() => {});
    },
  };
}

function isSame(a: RequestedSignIn, b: RequestedSignIn): boolean {
  const isSamePlace = a.scriptURL === b.scriptURL && a.mayNameBackEnd === b.mayNameBackEnd;
  return isSamePlace && a.username === b.username && a.password === b.password;
}
