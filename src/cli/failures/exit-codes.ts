import type {Failure, FailureCode} from '../../domain/failure.ts';
import {INTERRUPTED_EXIT_CODE} from '../terminal/stop-request.ts';

/** Exit codes of the process. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  unreachable: 5,
  interrupted: INTERRUPTED_EXIT_CODE,
} as const;

/** One of the values of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Exit codes by failure. `usage` is for failures that another command line would fix. */
const EXIT_BY_CODE = {
  'invalid-usage': EXIT.usage,
  'invalid-configuration': EXIT.usage,
  'unreadable-input': EXIT.usage,
  'invalid-key': EXIT.usage,
  'invalid-json': EXIT.usage,
  'invalid-parameter': EXIT.usage,
  'invalid-sign-in': EXIT.usage,
  'invalid-plugin-settings': EXIT.usage,
  'no-entry': EXIT.notFound,
  'no-identity': EXIT.notFound,
  'no-plugin': EXIT.notFound,
  'no-plugin-route': EXIT.notFound,
  'revision-conflict': EXIT.conflict,
  'service-unreachable': EXIT.unreachable,
  'service-timeout': EXIT.unreachable,
  'unwritable-output': EXIT.failure,
  'value-too-deep': EXIT.failure,
  'value-too-large': EXIT.failure,
  'invalid-transaction': EXIT.failure,
  'invalid-import': EXIT.failure,
  'transaction-too-large': EXIT.failure,
  'patch-too-large': EXIT.failure,
  'unsupported-body': EXIT.failure,
  'invalid-header': EXIT.failure,
  'malformed-request': EXIT.failure,
  'no-resource': EXIT.failure,
  'method-not-allowed': EXIT.failure,
  'foreign-host': EXIT.failure,
  'foreign-origin': EXIT.failure,
  'cross-site': EXIT.failure,
  'not-a-page': EXIT.failure,
  'headers-too-large': EXIT.failure,
  'request-timeout': EXIT.failure,
  'too-many-connections': EXIT.failure,
  'too-many-bodies': EXIT.failure,
  'too-many-subscribers': EXIT.failure,
  'subscriber-too-slow': EXIT.failure,
  'reader-too-slow': EXIT.failure,
  'sign-in-unavailable': EXIT.failure,
  'sign-in-busy': EXIT.failure,
  'invalid-plugin': EXIT.failure,
  'plugin-busy': EXIT.failure,
  'plugin-failed': EXIT.failure,
  'plugin-timeout': EXIT.failure,
  'plugin-ended': EXIT.failure,
  'wrong-credentials': EXIT.failure,
  'pilot-not-confirmed': EXIT.failure,
  'account-broken': EXIT.failure,
  'session-unknown': EXIT.failure,
  'back-end-unreachable': EXIT.failure,
  'back-end-timeout': EXIT.failure,
  'back-end-redirect': EXIT.failure,
  'not-a-back-end': EXIT.failure,
  'back-end-failed': EXIT.failure,
  'back-end-busy': EXIT.failure,
  'invalid-pilot': EXIT.failure,
  'entry-corrupt': EXIT.failure,
  'store-corrupt': EXIT.failure,
  'store-read-only': EXIT.failure,
  'disk-full': EXIT.failure,
  'store-busy': EXIT.failure,
  'store-closed': EXIT.failure,
  internal: EXIT.failure,
  'invalid-profile': EXIT.failure,
  'invalid-airline': EXIT.failure,
  'keychain-unavailable': EXIT.failure,
  'unsafe-host': EXIT.failure,
  'address-in-use': EXIT.failure,
  'address-unusable': EXIT.failure,
  'data-directory-in-use': EXIT.failure,
  'data-directory-unusable': EXIT.failure,
  'data-format-unsupported': EXIT.failure,
  'store-damaged': EXIT.failure,
  'invalid-value': EXIT.failure,
  'unexpected-answer': EXIT.failure,
  'unknown-failure': EXIT.failure,
  'foreign-service': EXIT.failure,
} as const satisfies Record<FailureCode, ExitCode>;

/** Returns the exit code for a failure. */
export function exitCodeOf(failure: Failure): ExitCode {
  const {code} = failure;
  if (code === 'unreadable-input' && failure.missing) return EXIT.notFound;
  return Object.hasOwn(EXIT_BY_CODE, code) ? EXIT_BY_CODE[code] : EXIT.failure;
}
