import type {IdentitySource} from '../../domain/identity/identity.ts';
import type {ServedSessions, SessionStatus} from '../../domain/identity/session.ts';
import {AppError} from '../../failures/app-error.ts';

/** Adds sessions to a source that has no sign-in of its own: its status can be read, and every change is refused. */
export function openFixedSessions(source: IdentitySource, nowMs: () => number): IdentitySource & ServedSessions {
  let sinceMs = nowMs();
  source.onChange(() => {
    sinceMs = nowMs();
  });
  const refuse = async (): Promise<SessionStatus> => {
    throw new AppError({code: 'sign-in-unavailable', problem: 'the identity comes from a source that has no sign-in'});
  };
  return {
    get origin() {
      return source.origin;
    },
    current: () => source.current(),
    onChange: listener => source.onChange(listener),
    status: async () => {
      const identity = source.current();
      const state = identity === undefined ? 'signed-out' : 'signed-in';
      return {state, source: source.origin.kind, sinceMs, summary: identity?.summary, stale: false};
    },
    signIn: refuse,
    verify: refuse,
    signOut: refuse,
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}
