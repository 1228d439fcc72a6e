import assert from 'node:assert/strict';
import type {Crewroom} from '../../../src/app/crewroom.ts';
import type {SessionStatus, Sessions} from '../../../src/core/domain/identity/identity.ts';
import type {OpenedEvents} from '../events/events-contract.ts';
import type {ContractBackEnd} from './back-end.ts';

/** Sessions, with the events that announce their changes. */
export interface OpenedSessions extends OpenedEvents {
  readonly sessions: Sessions;
  readonly identity: Crewroom['identity'];
}

/** Sessions, and a back end to sign in to. */
export interface SessionsSubject extends OpenedSessions {
  readonly backEnd: ContractBackEnd;
}

/**
 * Runs a test that waits for announcements of `identity-changed`.
 *
 * @param test Gets a function that resolves with the next announcement, and fails if another event comes first.
 */
export async function withIdentityChanges(
  {events}: OpenedEvents,
  test: (nextChange: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const iterator = events({initial: true})[Symbol.asyncIterator]();
  try {
    // Identity changes are not replayed. Once the present entries have ended, the subscription is complete.
    await iterator.next();
    await test(async () => {
      const {value} = await iterator.next();
      assert.equal(value?.kind, 'identity-changed');
    });
  } finally {
    await iterator.return?.();
  }
}

/** Resolves with the status once it fulfils a condition. Polls it, as nothing announces this. */
export async function until(sessions: Sessions, isWanted: (status: SessionStatus) => boolean): Promise<SessionStatus> {
  for (;;) {
    const status = await sessions.status();
    if (isWanted(status)) return status;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
