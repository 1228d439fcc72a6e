import assert from 'node:assert/strict';
import {CREDENTIAL_LENGTH_MAX, type SignIn} from '../../../src/core/domain/identity/identity.ts';
import type {Failure} from '../../../src/core/failures/failure.ts';
import type {ContractPart, ContractTest} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, assertFailsWith} from '../shared/assertions.ts';
import {ADA, BEN, type ContractBackEnd, MESSAGES, SESSION_EXPIRY_MS, SESSION_SECRET} from './back-end.ts';
import type {SessionsSubject} from './subject.ts';

/** Credentials that the back end refuses, or a back end that fails. The failure has the message of the back end. */
const FAILURES: readonly {
  readonly name: string;
  readonly password: string;
  readonly prepare?: (backEnd: ContractBackEnd) => void;
  readonly failure: (scriptURL: string) => Failure;
}[] = [
  {
    name: 'wrong password',
    password: 'the word of Cleo',
    failure: scriptURL => ({
      code: 'wrong-credentials',
      url: `${scriptURL}pilot/login`,
      message: MESSAGES.wrongPassword,
    }),
  },
  {
    name: 'back end that fails',
    password: BEN.password,
    prepare: backEnd => backEnd.fail(),
    failure: url => ({code: 'back-end-failed', stage: 'failure', url, backEndStatus: 500, message: MESSAGES.failure}),
  },
];

/** Sign-ins that are refused before any request. The back end would accept the members that are not named. */
const INVALID: readonly {
  readonly name: string;
  readonly members: Partial<SignIn>;
  readonly paths: readonly string[];
}[] = [
  {name: 'no address', members: {scriptURL: undefined}, paths: ['$.scriptURL']},
  {name: 'a text that is not an address', members: {scriptURL: 'nowhere'}, paths: ['$.scriptURL']},
  {name: 'an address of another protocol', members: {scriptURL: 'ftp://127.0.0.1/'}, paths: ['$.scriptURL']},
  {name: 'an address with a password', members: {scriptURL: 'http://a:b@127.0.0.1/'}, paths: ['$.scriptURL']},
  {name: 'nothing but spaces', members: {username: '', password: ' '}, paths: ['$.username', '$.password']},
  {
    name: 'a password that no back end accepts',
    members: {password: 'x'.repeat(CREDENTIAL_LENGTH_MAX + 1)},
    paths: ['$.password'],
  },
];

/** Tests of signing in. */
export const SIGNING_IN: ContractPart<SessionsSubject> = {
  name: 'signing in',
  tests: [
    {
      name: 'changes the identity, which is a document and its text',
      async run({sessions, identity, backEnd}) {
        await assertFailsWith(identity(), 'no-identity');
        await sessions.signIn(backEnd.signInOf(ADA));
        const {document, text, ...others} = await identity();
        assert.deepEqual([JSON.parse(text), others], [document, {}]);
        assert.equal(document.va_user.firstName, 'Ada');
        const misspelt = identity as (options: {readonly timeout: number}) => Promise<unknown>;
        await assert.rejects(misspelt({timeout: 1}), /no such parameter/);
        await sessions.signOut();
        await assertFailsWith(identity(), 'no-identity');
      },
    },
    {
      name: 'serves the pilot, with names and end, and without a secret',
      async run({sessions, backEnd}) {
        const status = await sessions.signIn(backEnd.signInOf(ADA));
        const {state, source, stale, problem, scriptURL, expiresAtMs, summary} = status;
        assert.deepEqual([state, source, stale, problem], ['signed-in', 'back-end', false, undefined]);
        assert.deepEqual([scriptURL, expiresAtMs], [backEnd.scriptURL, SESSION_EXPIRY_MS]);
        assert.match(summary ?? '', /Ada Quill \(VMS0001\)/);
        assert.deepEqual(await sessions.status(), status);
        for (const secret of [ADA.password, SESSION_SECRET]) assert.ok(!JSON.stringify(status).includes(secret));
      },
    },
    {
      name: 'replaces the pilot who is signed in',
      async run({sessions, backEnd}) {
        const {changedAtMs} = await sessions.signIn(backEnd.signInOf(ADA));
        const status = await sessions.signIn(backEnd.signInOf(BEN));
        assert.match(status.summary ?? '', /Ben Moor \(VMS0002\)/);
        assert.ok(status.changedAtMs >= changedAtMs);
        assert.deepEqual(await sessions.status(), status);
      },
    },
    {
      name: 'ignores spaces around the user name',
      async run({sessions, backEnd}) {
        const {state} = await sessions.signIn({...backEnd.signInOf(ADA), username: ` ${ADA.username} `});
        assert.equal(state, 'signed-in');
      },
    },
    ...FAILURES.map(
      ({name, password, prepare, failure}): ContractTest<SessionsSubject> => ({
        name: `with a ${name} throws the failure of the back end, and changes nothing`,
        async run({sessions, backEnd}) {
          const before = await sessions.signIn(backEnd.signInOf(ADA));
          prepare?.(backEnd);
          const signingIn = sessions.signIn({...backEnd.signInOf(BEN), password});
          await assertFails(signingIn, failure(backEnd.scriptURL));
          assert.deepEqual(await sessions.status(), before);
        },
      }),
    ),
    ...INVALID.map(
      ({name, members, paths}): ContractTest<SessionsSubject> => ({
        name: `with ${name} is refused before any request`,
        async run({sessions, backEnd}) {
          const signingIn = sessions.signIn({...backEnd.signInOf(ADA), ...members});
          await assert.rejects(signingIn, ({failure}: {readonly failure?: Failure}) => {
            assert.equal(failure?.code, 'invalid-body');
            const found = failure?.code === 'invalid-body' ? failure.problems.map(({path}) => path) : [];
            assert.deepEqual(found, paths);
            return true;
          });
          assert.deepEqual(backEnd.paths, []);
        },
      }),
    ),
    {
      name: 'is refused during another sign-in, which a sign-out ends',
      async run({sessions, backEnd}) {
        const held = backEnd.holdNextSignIn();
        const first = assertFailsWith(sessions.signIn(backEnd.signInOf(ADA)), 'not-offered');
        await held;
        await assertFails(sessions.signIn(backEnd.signInOf(BEN)), {code: 'busy', what: 'sign-in'});
        assert.equal((await sessions.signOut()).state, 'signed-out');
        await first;
        assert.equal((await sessions.signIn(backEnd.signInOf(BEN))).state, 'signed-in');
      },
    },
    {
      name: 'sends nothing if its signal is aborted, and throws the reason',
      async run({sessions, backEnd}) {
        const reason = new Error('the pilot closed the window before');
        const signingIn = sessions.signIn(backEnd.signInOf(ADA), {signal: AbortSignal.abort(reason)});
        await assert.rejects(signingIn, (error: unknown) => error === reason);
        // Had the first sign-in begun, this one would be refused.
        await sessions.signIn(backEnd.signInOf(BEN));
        assert.deepEqual(backEnd.paths, ['', 'pilot/login']);
      },
    },
    {
      name: 'ends with its signal while the back end does not answer, and throws the reason',
      async run({sessions, backEnd}) {
        const reason = new Error('the pilot closed the window');
        const closing = new AbortController();
        const held = backEnd.holdNextSignIn();
        const ended = assert.rejects(
          sessions.signIn(backEnd.signInOf(ADA), {signal: closing.signal}),
          (error: unknown) => error === reason,
        );
        await held;
        closing.abort(reason);
        await ended;
        assert.equal((await sessions.signOut()).state, 'signed-out');
      },
    },
  ],
};
