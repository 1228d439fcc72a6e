import type {BackEndFailure, KeychainFailure, RequestFailure, StoreFailure} from '../failures/failure.ts';
import {DATA_FAILURE_MEMBERS, type DataFailure} from './data-failure.ts';
import {type CheckedMembers, hasMembers} from './failure-members.ts';

/** A failure that the service sends over HTTP, as an answer or as the problem of a session. */
export type SentFailure = RequestFailure | BackEndFailure | StoreFailure | KeychainFailure;

/** Returns whether a document is a failure that this version knows, with all its members. */
export function isSentFailure(document: Readonly<Record<string, unknown>>): document is SentFailure & typeof document {
  return hasMembers(document, ALL_MEMBERS);
}

/** The members of the failures besides {@link DataFailure}. */
const MEMBERS = {
  'invalid-import': 'line# problem imported# batches#',
  'unsupported-body': 'problem',
  'invalid-header': 'header problem',
  'malformed-request': 'problem',
  'no-resource': 'path meant?',
  'method-not-allowed': 'method allowed',
  'not-a-page': 'path',
  'unmarked-request': 'host',
  'other-user': 'owner#?',
  'subscriber-too-slow': 'cursor',
  'reader-too-slow': 'idleMs# ageMs#?',
  'invalid-sign-in': 'problems',
  'sign-in-unavailable': 'problem',
  'sign-in-busy': '',
  'invalid-pilot-choice': 'problems',
  'pilot-choice-unavailable': 'problem',
  'invalid-faults': 'problems',
  'own-callers-only': 'origin',
  'owner-required': '',
  'code-unavailable': 'host',
  'invalid-token-request': 'problems',
  'no-token': 'name',
  'invalid-grant-request': 'problems',
  'no-grant': 'plugin permission?',
  'invalid-origin': 'problems',
  'invalid-code': '',
  'no-plugin': 'plugin',
  'invalid-plugin': 'plugin problems',
  'invalid-plugin-settings': 'plugin problems',
  'no-plugin-route': 'plugin route problem',
  'invalid-flight': 'problems',
  'no-flight': '',
  'plugin-request-too-large': 'sizeBytesMax#',
  'plugin-busy': 'plugin requestsMax#',
  'plugin-failed': 'plugin route problem place?',
  'plugin-timeout': 'plugin route timeoutMs#',
  'plugin-ended': 'plugin route',
  'dev-server-failed': 'url problem',
  'wrong-credentials': 'url message? hint?',
  'pilot-not-confirmed': 'url message?',
  'account-broken': 'url backEndStatus# problem? message? hint?',
  'session-unknown': 'url message?',
  'unprotected-back-end': 'url',
  'back-end-unreachable': 'url stage problem hint?',
  'back-end-timeout': 'url timeoutMs#',
  'back-end-redirect': 'url target problem scriptURL? hint?',
  'not-a-back-end': 'url backEndStatus# problem firstLine? hint?',
  'back-end-failed': 'url backEndStatus# problem? message? hint? retryAfterSeconds#?',
  'back-end-busy': 'url backEndStatus# problem message? hint? retryAfterSeconds#?',
  'invalid-pilot': 'url problems',
  'keychain-unavailable': 'problem',
} as const satisfies Record<Exclude<SentFailure, DataFailure>['code'], string>;

const ALL_MEMBERS: CheckedMembers<typeof MEMBERS & typeof DATA_FAILURE_MEMBERS> = {...DATA_FAILURE_MEMBERS, ...MEMBERS};
