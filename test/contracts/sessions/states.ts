import assert from 'node:assert/strict';
import type {SessionStatus} from '../../../src/core/domain/identity/identity.ts';
import {describeFailure} from '../../../src/core/failures/app-error.ts';
import type {Failure} from '../../../src/core/failures/failure.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails} from '../shared/assertions.ts';
import {ADA, BEN, MESSAGES} from './back-end.ts';
import {type SessionsSubject, until, withIdentityChanges} from './subject.ts';

/** Tests of the states of a session, and of what leads from one to another. */
export const STATES: ContractPart<SessionsSubject> = {
  name: 'a session',
  tests: [
    {
      name: 'is signed out at first',
      async run({sessions}) {
        const status = await sessions.status();
        assertSignedOut(status);
        assert.equal(typeof status.changedAtMs, 'number');
      },
    },
    {
      name: 'ends with a sign-out, which is idempotent',
      async run({sessions, backEnd}) {
        await sessions.signIn(backEnd.signInOf(ADA));
        const status = await sessions.signOut();
        assertSignedOut(status);
        assert.deepEqual(await sessions.signOut(), status);
        assert.deepEqual(await sessions.status(), status);
      },
    },
    {
      name: 'cannot be verified if no pilot is signed in',
      async run({sessions}) {
        await assertFails(sessions.verify(), {code: 'no-identity'});
      },
    },
    {
      name: 'is verified at most once a minute',
      async run(subject) {
        const {sessions, backEnd} = subject;
        const before = await sessions.signIn(backEnd.signInOf(ADA));
        await withIdentityChanges(subject, async nextChange => {
          backEnd.promote('Senior Captain');
          assert.deepEqual(await sessions.verify(), before);
          await nextChange();
          const after = await sessions.verify();
          assert.equal(typeof after.verifiedAtMs, 'number');
          assert.deepEqual({...after, verifiedAtMs: undefined}, {...before, verifiedAtMs: undefined});
        });
        // Two requests later, a second verification would have arrived.
        await sessions.signIn(backEnd.signInOf(BEN));
        assert.equal(backEnd.paths.filter(path => path === 'pilot/verify').length, 1);
      },
    },
    {
      name: 'expires if the back end refuses it, with the failure of the back end',
      async run(subject) {
        const {sessions, backEnd} = subject;
        await sessions.signIn(backEnd.signInOf(ADA));
        await withIdentityChanges(subject, async nextChange => {
          backEnd.endSessions();
          await sessions.verify();
          await nextChange();
        });
        const status = await sessions.status();
        assert.deepEqual([status.state, status.summary, status.stale], ['expired', undefined, false]);
        const url = `${backEnd.scriptURL}pilot/verify`;
        assertProblem(status, {code: 'session-unknown', url, message: MESSAGES.unknownSession});
        await assertFails(sessions.verify(), {code: 'no-identity'});
        const {state, problem} = await sessions.signIn(backEnd.signInOf(ADA));
        assert.deepEqual([state, problem], ['signed-in', undefined]);
      },
    },
    {
      name: 'is stale while the back end fails, with the failure of the back end',
      async run({sessions, backEnd}) {
        const {summary} = await sessions.signIn(backEnd.signInOf(ADA));
        backEnd.fail();
        await sessions.verify();
        const status = await until(sessions, ({stale}) => stale);
        assert.deepEqual([status.state, status.summary], ['signed-in', summary]);
        const url = `${backEnd.scriptURL}pilot/verify`;
        assertProblem(status, {
          code: 'back-end-failed',
          stage: 'failure',
          url,
          backEndStatus: 500,
          message: MESSAGES.failure,
        });
      },
    },
    {
      name: 'announces each change of the pilot',
      async run(subject) {
        const {sessions, backEnd} = subject;
        await withIdentityChanges(subject, async nextChange => {
          await sessions.signIn(backEnd.signInOf(ADA));
          await nextChange();
          await sessions.signIn(backEnd.signInOf(BEN));
          await nextChange();
          backEnd.endSessions();
          await sessions.verify();
          await nextChange();
          await sessions.signOut();
          await nextChange();
          await sessions.signIn(backEnd.signInOf(BEN));
          await nextChange();
        });
      },
    },
  ],
};

function assertSignedOut({state, source, stale, summary, scriptURL, expiresAtMs, problem}: SessionStatus): void {
  assert.deepEqual([state, source, stale], ['signed-out', 'none', false]);
  assert.deepEqual([summary, scriptURL, expiresAtMs, problem], [undefined, undefined, undefined, undefined]);
}

/** Fails unless a status has this failure, with its members and its message. */
function assertProblem({problem}: SessionStatus, failure: Failure): void {
  assert.deepEqual(problem?.failure, failure);
  assert.equal(problem?.message, describeFailure(failure));
}
