import type {BackEndFailure, Failure, RequestFailure, StoreFailure} from './failure.ts';
import {type FaultMark, withFault} from './fault-mark.ts';

/** Code of a failure that a fault can cause: every code with an HTTP status. */
export type FaultCode = (RequestFailure | BackEndFailure | StoreFailure)['code'];

/** Returns whether a fault can cause failures of this code. */
export function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(MEMBERS, code);
}

/** All codes of failures that faults can cause. */
export function listFaultCodes(): readonly FaultCode[] {
  return Object.keys(MEMBERS) as FaultCode[];
}

/** The request that a fault makes fail, for the members of its failure. */
export interface FailingRequest {
  readonly method: string;
  /** Path without query, as it was sent. */
  readonly path: string;
  /** Key in the path; the path if it has none. */
  readonly key: string;
}

/** Creates the failure of a code, with members that such a failure has. */
export function createFaultFailure(code: FaultCode, {method, path, key}: FailingRequest): Failure & FaultMark {
  const members: Readonly<Record<string, unknown>> = {...MEMBERS[code]};
  const known: Readonly<Record<string, string>> = {key, path, method};
  const filled = Object.entries(members).map(([name, value]) => [name, value === FROM_REQUEST ? known[name] : value]);
  // The table has the members of each code.
  return withFault({code, ...Object.fromEntries(filled)} as Failure, 'error');
}

/** Members that come from the request. */
const FROM_REQUEST = '';

const problem = 'a fault is switched on';
const problems = [{path: '$', problem}];
const plugin = 'com.example.plugin';
const route = 'GET example';
const url = 'https://air.example/back-end/';
const backEndStatus = 500;

/** Plausible members of each failure besides its code. */
const MEMBERS: {readonly [C in FaultCode]: Omit<Extract<Failure, {readonly code: C}>, 'code'>} = {
  'invalid-key': {key: FROM_REQUEST, problem},
  'invalid-json': {problem, position: 0},
  'invalid-transaction': {problems},
  'invalid-import': {line: 1, problem, imported: 0, batches: 0},
  'value-too-deep': {depthMax: 256, position: 0},
  'value-too-large': {sizeBytesMax: 1_048_576},
  'transaction-too-large': {sizeBytesMax: 8_388_608},
  'patch-too-large': {membersMax: 10_000},
  'unsupported-body': {problem},
  'invalid-parameter': {parameter: 'example', problem},
  'invalid-header': {header: 'Example', problem},
  'malformed-request': {problem},
  'no-entry': {key: FROM_REQUEST},
  'no-identity': {},
  'no-resource': {path: FROM_REQUEST},
  'method-not-allowed': {method: FROM_REQUEST, allowed: ['OPTIONS']},
  'revision-conflict': {conflicts: [{key: 'example', expected: '1', actual: '2'}]},
  'foreign-host': {host: 'example'},
  'foreign-origin': {origin: 'http://page.example'},
  'cross-site': {site: 'cross-site'},
  'not-a-page': {path: FROM_REQUEST},
  'unmarked-request': {host: 'example'},
  'headers-too-large': {},
  'request-timeout': {},
  'other-user': {owner: 1001},
  'too-many-connections': {connectionsMax: 2048},
  'too-many-bodies': {},
  'user-lookup-failed': {},
  'too-many-subscribers': {subscribersMax: 1024},
  'subscriber-too-slow': {cursor: '1'},
  'reader-too-slow': {idleMs: 15_000},
  'invalid-sign-in': {problems},
  'sign-in-unavailable': {problem},
  'sign-in-busy': {},
  'invalid-pilot-choice': {problems},
  'pilot-choice-unavailable': {problem},
  'invalid-faults': {problems},
  'own-callers-only': {origin: 'http://page.example'},
  'owner-required': {},
  'code-unavailable': {host: '127.0.0.1'},
  'invalid-token': {problem},
  'permission-required': {permission: 'admin', principal: 'token:example'},
  'token-required': {permission: 'admin'},
  'invalid-token-request': {problems},
  'no-token': {name: 'example'},
  'invalid-grant-request': {problems},
  'no-grant': {plugin},
  'invalid-origin': {problems},
  'invalid-code': {},
  'no-plugin': {plugin},
  'invalid-plugin': {plugin, problems},
  'invalid-plugin-settings': {plugin, problems},
  'no-plugin-route': {plugin, route, problem},
  'invalid-flight': {problems},
  'no-flight': {},
  'plugin-request-too-large': {sizeBytesMax: 1_048_576},
  'plugin-busy': {plugin, requestsMax: 64},
  'plugin-failed': {plugin, route, problem},
  'plugin-timeout': {plugin, route, timeoutMs: 30_000},
  'plugin-ended': {plugin, route},
  'dev-server-failed': {url: 'http://localhost:5173', problem},
  'wrong-credentials': {url},
  'pilot-not-confirmed': {url},
  'account-broken': {url, backEndStatus},
  'session-unknown': {url},
  'unprotected-back-end': {url},
  'back-end-unreachable': {url, stage: 'connection', problem},
  'back-end-timeout': {url, timeoutMs: 15_000},
  'back-end-redirect': {url, target: 'https://www.air.example/', problem},
  'not-a-back-end': {url, backEndStatus: 200, problem},
  'back-end-failed': {url, backEndStatus},
  'back-end-busy': {url, backEndStatus: 429, problem},
  'invalid-pilot': {url, problems},
  'entry-corrupt': {key: FROM_REQUEST},
  'store-corrupt': {},
  'store-read-only': {problem},
  'disk-full': {},
  'store-busy': {waitingMax: 4096},
  'store-closed': {},
  'store-unavailable': {problem},
  'outcome-unknown': {commitId: 'example'},
  internal: {requestId: ''},
};
