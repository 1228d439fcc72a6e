import type {DataMembers} from './data.ts';
import type {CaseOf, FailureIn} from './members.ts';
import type {DocumentProblem} from './problems.ts';

/**
 * The step in which a request to a back end failed: looking up its name, connecting, the TLS handshake, the answer, waiting for it; a redirect; an answer
 * that no back end gives; a failure of the back end; and its limit of requests, or that of a proxy in front of it.
 */
export type BackEndStage =
  | 'name'
  | 'connection'
  | 'tls'
  | 'answer'
  | 'timeout'
  | 'redirect'
  | 'content'
  | 'failure'
  | 'limit';

/**
 * Members of every failure that the service sends. Texts from the back end of an airline are cleaned and shortened, and contain neither password nor
 * session; addresses have no query. `message` is the answer of a back end, in its own words, if it has some. `route` is a method and a name, such as `GET data`.
 */
export interface SentMembers extends DataMembers {
  'invalid-import': {line: number; problem: string; imported: number; batches: number};
  'snapshot-failed': {directory: string; problem: string};
  'unsupported-body': {problem: string};
  'invalid-header': {header: string; problem: string};
  'malformed-request': {problem: string};
  /** The service does not do this as it was started, or with its identity. */
  'not-offered': {what: CaseOf<'sign-in' | 'pilots' | 'console'>; problem: string};
  'no-resource': {
    path: string;
    /** The path with one slash at its beginning, without a fragment, and with the slashes of its key encoded, if that is a valid path. */
    meant?: string;
  };
  'method-not-allowed': {method: string; allowed: readonly string[]};
  'not-a-page': {path: string};
  'other-user': {
    /** The user id of the process at the other end; absent if no process of this machine has it. */
    owner?: number;
  };
  'wrong-credentials': {url: string; message?: string};
  'pilot-not-confirmed': {url: string; message?: string};
  'account-broken': {
    url: string;
    backEndStatus: number;
    /** The behaviour of the back end, if it is known. */
    problem?: string;
    message?: string;
  };
  'session-unknown': {url: string; message?: string};
  /** The address is plain `http` on another machine, and the settings do not allow that. Nothing secret was sent. */
  'unprotected-back-end': {url: string};
  'back-end-failed': {
    url: string;
    stage: CaseOf<BackEndStage>;
    /** The HTTP status of the back end; `status` is that of the problem document. */
    backEndStatus?: number;
    /** The problem, if it was recognised. */
    problem?: string;
    message?: string;
    timeoutMs?: number;
    /** The address of a redirect. */
    target?: string;
    /** The `scriptURL` to configure instead, if it is known. */
    scriptURL?: string;
    /** The first line of an answer that is not one of a back end. */
    firstLine?: string;
    /** Time to wait before the next request, in seconds; one day at most. */
    retryAfterSeconds?: number;
  };
  'invalid-pilot': {url: string; problems: readonly DocumentProblem[]};
  /** A page asked for what only the owner may do, or a program for a code, without a valid token of the owner. */
  'owner-required': object;
  'no-token': {name: string};
  'no-grant': {plugin: string; permission?: string};
  /** The code of the console is unknown, was used, or is too old. */
  'invalid-code': object;
  'no-plugin': {plugin: string};
  /** The folder or the manifest of a plugin is wrong. */
  'invalid-plugin': {plugin: string; problems: readonly DocumentProblem[]};
  'no-plugin-route': {plugin: string; route: string; problem: string};
  'plugin-failed': {
    plugin: string;
    route: string;
    problem: string;
    /** The innermost position in the code of the plugin, such as `background/index.js:12`, if it is known. */
    place?: string;
  };
  'plugin-timeout': {plugin: string; route: string; timeoutMs: number};
  'plugin-ended': {plugin: string; route: string};
  /** The dev server of the page of a plugin in development did not answer. */
  'dev-server-failed': {url: string; problem: string};
  'no-flight': object;
  /** Another caller started the flight that runs. */
  'flight-of-another': object;
  /** Another simulator, of this name, reports the flight; that of a simulated one is Crewroom. */
  'flight-reported': {simulator: string};
  /** The reporter has ended, or its id is unknown. */
  'no-reporter': object;
  /** `max` is in frames a second. */
  'too-many-frames': {max: number};
}

/** A failure that the service sends over HTTP, as an answer or as the problem of a session. */
export type SentFailure = FailureIn<SentMembers>;

/** The codes of the failures that the service sends. Small, since web pages load it with the client. */
export const SENT_CODES: readonly string[] = [
  'invalid-key',
  'invalid-json',
  'invalid-body',
  'value-too-deep',
  'too-large',
  'invalid-parameter',
  'no-entry',
  'no-identity',
  'revision-conflict',
  'foreign-host',
  'foreign-page',
  'headers-too-large',
  'invalid-token',
  'permission-required',
  'token-required',
  'too-slow',
  'busy',
  'unavailable',
  'entry-corrupt',
  'store-corrupt',
  'store-read-only',
  'disk-full',
  'store-closed',
  'outcome-unknown',
  'internal',
  'invalid-import',
  'snapshot-failed',
  'unsupported-body',
  'invalid-header',
  'malformed-request',
  'not-offered',
  'no-resource',
  'method-not-allowed',
  'not-a-page',
  'other-user',
  'wrong-credentials',
  'pilot-not-confirmed',
  'account-broken',
  'session-unknown',
  'unprotected-back-end',
  'back-end-failed',
  'invalid-pilot',
  'owner-required',
  'no-token',
  'no-grant',
  'invalid-code',
  'no-plugin',
  'invalid-plugin',
  'no-plugin-route',
  'plugin-failed',
  'plugin-timeout',
  'plugin-ended',
  'dev-server-failed',
  'no-flight',
  'flight-of-another',
  'flight-reported',
  'no-reporter',
  'too-many-frames',
] satisfies readonly SentFailure['code'][];
