import type {Failure, FailureCode} from '../../domain/failure.ts';

/** Status of failures that never cross HTTP, because they happen where no service runs. */
type NotSent = undefined;

/** HTTP status of every failure, for servers and clients alike (RFC 9110 section 15; 507: RFC 4918 section 11.5). */
export const STATUS_BY_CODE = {
  'invalid-key': 400,
  'invalid-json': 400,
  'invalid-transaction': 422,
  'invalid-import': 400,
  'value-too-deep': 422,
  'value-too-large': 413,
  'transaction-too-large': 413,
  'patch-too-large': 413,
  'unsupported-body': 415,
  'invalid-parameter': 400,
  'invalid-header': 400,
  'malformed-request': 400,
  'no-entry': 404,
  'no-identity': 404,
  'no-resource': 404,
  'method-not-allowed': 405,
  'revision-conflict': 412,
  'foreign-host': 421,
  'foreign-origin': 403,
  'cross-site': 403,
  'not-a-page': 403,
  'headers-too-large': 431,
  'request-timeout': 408,
  'too-many-connections': 503,
  'too-many-bodies': 503,
  'too-many-subscribers': 503,
  'subscriber-too-slow': 503,
  'reader-too-slow': 503,
  'invalid-sign-in': 422,
  'sign-in-unavailable': 409,
  'sign-in-busy': 409,
  'no-plugin': 404,
  'invalid-plugin': 422,
  'invalid-plugin-settings': 422,
  'no-plugin-route': 404,
  'invalid-flight': 422,
  'no-flight': 404,
  'plugin-request-too-large': 413,
  'plugin-busy': 503,
  'plugin-failed': 500,
  'plugin-timeout': 504,
  'plugin-ended': 503,
  // Not 401: that would ask for credentials of this request, in a header.
  'wrong-credentials': 403,
  'pilot-not-confirmed': 409,
  'account-broken': 502,
  'session-unknown': 409,
  'back-end-unreachable': 502,
  'back-end-timeout': 504,
  'back-end-redirect': 502,
  'not-a-back-end': 502,
  'back-end-failed': 502,
  'back-end-busy': 502,
  'invalid-pilot': 502,
  'entry-corrupt': 500,
  'store-corrupt': 500,
  'store-read-only': 503,
  'disk-full': 507,
  'store-busy': 503,
  'store-closed': 503,
  internal: 500,
  'invalid-usage': undefined,
  'invalid-configuration': undefined,
  'invalid-profile': undefined,
  'invalid-airline': undefined,
  'keychain-unavailable': undefined,
  'unsafe-host': undefined,
  'address-in-use': undefined,
  'address-unusable': undefined,
  'data-directory-in-use': undefined,
  'data-directory-unusable': undefined,
  'data-format-unsupported': undefined,
  'store-damaged': undefined,
  'unreadable-input': undefined,
  'foreign-service': undefined,
  'unwritable-output': undefined,
  'service-unreachable': undefined,
  'service-timeout': undefined,
  'invalid-value': undefined,
  'unexpected-answer': undefined,
  'unknown-failure': undefined,
} as const satisfies Record<FailureCode, number | NotSent>;

/** Returns the HTTP status of a failure; that of `internal` for a failure that never crosses HTTP. */
export function statusOf(failure: Failure): number {
  return findStatus(failure) ?? STATUS_BY_CODE.internal;
}

/** Returns the HTTP status of a failure; undefined if it never crosses HTTP. */
export function findStatus({code}: Failure): number | undefined {
  return Object.hasOwn(STATUS_BY_CODE, code) ? STATUS_BY_CODE[code] : undefined;
}
