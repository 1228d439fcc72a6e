import type {AnyFailure, FailureCode} from '../../src/core/failures/failure.ts';
import {FAILURE_CODES, findRow} from '../../src/core/failures/rows/rows.ts';

/** One failure of each code, without most members that may be missing: the examples of the rows. */
export const FAILURES = Object.fromEntries(
  FAILURE_CODES.map(code => [code, {code, ...findRow(code)?.example}]),
) as unknown as {
  readonly [C in FailureCode]: Extract<AnyFailure, {code: C}>;
};

const BACK_END = 'https://air.example/back-end/';

const PROBLEMS = {problems: [{path: '$.name', problem: 'is missing'}]};

/** One failure of each case of each code. A test of the rows compares them with the cases. */
export const CASES: readonly AnyFailure[] = [
  ...Object.values(FAILURES),
  ...(['sign-in', 'pilot', 'token', 'grant', 'origin', 'flight', 'frame', 'faults', 'console-code'] as const).map(
    what => ({code: 'invalid-body', what, ...PROBLEMS}) as const,
  ),
  {code: 'too-large', what: 'transaction', max: 2_097_152},
  {code: 'too-large', what: 'patch', max: 1000},
  {code: 'too-large', what: 'plugin-request', max: 16_777_216},
  {code: 'too-large', what: 'body', max: 1024},
  {code: 'too-slow', what: 'subscriber', cursor: '1'},
  {code: 'too-slow', what: 'reader', idleMs: 15_000},
  {code: 'busy', what: 'sign-in'},
  {code: 'busy', what: 'plugin', plugin: 'com.example.plugin', max: 64},
  {code: 'busy', what: 'connections', max: 2048},
  {code: 'busy', what: 'memory'},
  {code: 'busy', what: 'subscribers', max: 1024},
  {code: 'foreign-page', why: 'site', site: 'cross-site'},
  {code: 'foreign-page', why: 'unmarked', host: 'example'},
  {code: 'foreign-page', why: 'not-own', origin: 'http://page.example'},
  {code: 'unavailable', what: 'user'},
  {code: 'unavailable', what: 'keychain', problem: 'it is locked'},
  {code: 'not-offered', what: 'pilots', problem: 'the identity comes from a profile'},
  {code: 'not-offered', what: 'console', problem: 'the service listens on 127.0.0.1 only'},
  {code: 'store-corrupt', what: 'whole', directory: '/a', problem: 'data.mdb is empty'},
  ...(['name', 'tls', 'answer'] as const).map(
    stage => ({code: 'back-end-failed', stage, url: BACK_END, problem: 'it is out'}) as const,
  ),
  {code: 'back-end-failed', stage: 'timeout', url: BACK_END, timeoutMs: 10_000},
  {code: 'back-end-failed', stage: 'redirect', url: BACK_END, target: 'https://b.example/', problem: 'it redirects'},
  {code: 'back-end-failed', stage: 'content', url: BACK_END, backEndStatus: 200, problem: 'it answers with HTML'},
  {code: 'back-end-failed', stage: 'failure', url: BACK_END, backEndStatus: 500},
  {code: 'back-end-failed', stage: 'limit', url: BACK_END, backEndStatus: 429, problem: 'it accepts no more requests'},
  {code: 'invalid-body', what: 'settings', plugin: 'com.example.plugin', ...PROBLEMS},
];
