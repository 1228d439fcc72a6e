import type {BackEndFailure, Conflict, DocumentProblem, Failure, RequestFailure, StoreFailure} from './failure.ts';
import {hasShape, type ShapeOf} from './shape.ts';

/** A failure that the service sends over HTTP. */
export type SentFailure = RequestFailure | BackEndFailure | StoreFailure;

/** Returns whether a document is a failure that this version knows, with all its members. */
export function isSentFailure(document: Readonly<Record<string, unknown>>): document is Failure & typeof document {
  const {code, problems, conflicts} = document;
  if (isEmpty(problems) || isEmpty(conflicts)) return false;
  return typeof code === 'string' && Object.hasOwn(MEMBERS, code) && hasShape(document, MEMBERS[code as keyof Members]);
}

/** Returns whether a list is empty. Failures with a list have at least one problem or conflict. */
function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}

/** The members of each failure, without its code. */
type Members = {
  readonly [C in SentFailure['code']]: ShapeOf<Omit<Extract<SentFailure, {readonly code: C}>, 'code'>>;
};

const PROBLEMS: readonly [ShapeOf<DocumentProblem>] = [{path: 'string', problem: 'string'}];
const CONFLICTS: readonly [ShapeOf<Conflict>] = [{key: 'string', expected: 'string', actual: 'string'}];
const URL_AND_MESSAGE = {url: 'string', 'message?': 'string'} as const;
const URL_AND_STATUS = {url: 'string', backEndStatus: 'number'} as const;
const HINT = {'hint?': 'string'} as const;
const PAUSE = {'retryAfterSeconds?': 'number'} as const;
const IMPORTED = {'imported?': 'number', 'batches?': 'number'} as const;

const MEMBERS: Members = {
  'invalid-key': {key: 'string', problem: 'string'},
  'invalid-json': {problem: 'string', position: 'number'},
  'invalid-transaction': {problems: PROBLEMS},
  'invalid-import': {line: 'number', problem: 'string', imported: 'number', batches: 'number'},
  'value-too-deep': {depthMax: 'number', position: 'number'},
  'value-too-large': {sizeBytesMax: 'number'},
  'transaction-too-large': {sizeBytesMax: 'number'},
  'patch-too-large': {membersMax: 'number'},
  'unsupported-body': {problem: 'string'},
  'invalid-parameter': {parameter: 'string', problem: 'string'},
  'invalid-header': {header: 'string', problem: 'string'},
  'malformed-request': {problem: 'string'},
  'no-entry': {key: 'string'},
  'no-identity': {},
  'no-resource': {path: 'string', 'meant?': 'string'},
  'method-not-allowed': {method: 'string', allowed: ['string']},
  'revision-conflict': {conflicts: CONFLICTS},
  'foreign-host': {host: 'string'},
  'foreign-origin': {origin: 'string'},
  'cross-site': {site: 'string'},
  'not-a-page': {path: 'string'},
  'headers-too-large': {},
  'request-timeout': {},
  'too-many-connections': {connectionsMax: 'number'},
  'too-many-bodies': {},
  'too-many-subscribers': {subscribersMax: 'number'},
  'subscriber-too-slow': {cursor: 'string'},
  'reader-too-slow': {idleMs: 'number'},
  'invalid-sign-in': {problems: PROBLEMS},
  'sign-in-unavailable': {problem: 'string'},
  'sign-in-busy': {},
  'wrong-credentials': {...URL_AND_MESSAGE, ...HINT},
  'pilot-not-confirmed': URL_AND_MESSAGE,
  'account-broken': {...URL_AND_STATUS, 'problem?': 'string', 'message?': 'string', ...HINT},
  'session-unknown': URL_AND_MESSAGE,
  'back-end-unreachable': {url: 'string', stage: 'string', problem: 'string', ...HINT},
  'back-end-timeout': {url: 'string', timeoutMs: 'number'},
  'back-end-redirect': {url: 'string', target: 'string', problem: 'string', 'scriptURL?': 'string', ...HINT},
  'not-a-back-end': {...URL_AND_STATUS, problem: 'string', 'firstLine?': 'string', ...HINT},
  'back-end-failed': {...URL_AND_STATUS, 'problem?': 'string', 'message?': 'string', ...HINT, ...PAUSE},
  'back-end-busy': {...URL_AND_STATUS, problem: 'string', 'message?': 'string', ...HINT, ...PAUSE},
  'invalid-pilot': {url: 'string', problems: PROBLEMS},
  'entry-corrupt': {key: 'string'},
  'store-corrupt': {'after?': 'string'},
  'store-read-only': {problem: 'string', ...IMPORTED},
  'disk-full': IMPORTED,
  'store-busy': {waitingMax: 'number', ...IMPORTED},
  'store-closed': IMPORTED,
  internal: {requestId: 'string'},
};
