import type {CaseOf, FailureIn} from './members.ts';
import type {Conflict, DocumentProblem} from './problems.ts';

/**
 * Members of the failures of calls for entries, events and the identity, by their codes. `imported` and `batches` are the part of an import that
 * was stored before a failure of the store ended it: see `ImportedPart`.
 */
export interface DataMembers {
  'invalid-key': {key: string; problem: string};
  'invalid-json': {problem: string; position: number};
  /** The body does not fit its schema. `plugin` is the one whose settings it changes. */
  'invalid-body': {
    what: CaseOf<
      | 'transaction'
      | 'sign-in'
      | 'pilot'
      | 'token'
      | 'grant'
      | 'origin'
      | 'flight'
      | 'frame'
      | 'faults'
      | 'settings'
      | 'console-code'
    >;
    plugin?: string;
    problems: readonly DocumentProblem[];
  };
  'value-too-deep': {depthMax: number; position: number};
  /** `max` is in bytes, for a patch in members. */
  'too-large': {what: CaseOf<'value' | 'transaction' | 'patch' | 'plugin-request' | 'body'>; max: number};
  'invalid-parameter': {parameter: string; problem: string};
  'no-entry': {
    key: string;
    /** The revision at which there was no entry; only for a deletion. */
    revision?: string;
  };
  'no-identity': object;
  'revision-conflict': {
    conflicts: readonly Conflict[];
    /** The `If-Match` of the request, shortened; only if it has an ETag that no entry has. */
    sent?: string;
  };
  'foreign-host': {host: string};
  'foreign-page': {
    /** The origin is not allowed; the browser names another site; it marks no requests to `host`; or only pages of the service may do this. */
    why: CaseOf<'origin' | 'site' | 'unmarked' | 'not-own'>;
    origin?: string;
    /** The `Sec-Fetch-Site` of the request, or `prefetch` or `prerender`. */
    site?: string;
    host?: string;
  };
  'headers-too-large': object;
  /** A token of this service is wrong, has expired, was revoked, or is sent twice. */
  'invalid-token': {problem: string};
  'permission-required': {
    permission: string;
    /** The caller that lacks the permission, such as `token:backup`. */
    principal: string;
  };
  'token-required': {
    /** The smallest one that suffices; the request has no credentials. */
    permission: string;
    plugin?: string;
  };
  'too-slow': {
    what: CaseOf<'request' | 'subscriber' | 'reader'>;
    /** The last revision that was sent to a subscriber. */
    cursor?: string;
    /** The time for which a reader has read nothing. */
    idleMs?: number;
    /** The age of its snapshot, if etcd dropped that; the number of all entries in it, and of those that were read; the retention that is enough. */
    ageMs?: number;
    entries?: number;
    entriesRead?: number;
    retentionMinutes?: number | undefined;
  };
  /** A limit of what the service does at once is reached: `max`, if it has a number. */
  busy: {
    what: CaseOf<'store' | 'sign-in' | 'plugin' | 'connections' | 'memory' | 'subscribers'>;
    max?: number;
    plugin?: string;
    imported?: number;
    batches?: number;
  };
  /**
   * Something that the service needs cannot be reached, and nothing was done: the engine of the store, of the embedded one only what was being read
   * when a write failed; the list of the sockets of this machine; the keychain, only as the problem in the status of the session.
   */
  unavailable: {what: CaseOf<'store' | 'user' | 'keychain'>; problem?: string; imported?: number; batches?: number};
  /** The entry cannot be read or, with `before`, the change log before that revision. */
  'entry-corrupt': {key: string; before?: string};
  'store-corrupt': {
    /** `whole` if it cannot be opened, which never crosses HTTP. */
    what: CaseOf<'part' | 'whole'>;
    /** The damage is after this key in the order of the list; absent if no key was read. */
    after?: string;
    directory?: string;
    problem?: string;
  };
  'store-read-only': {problem: string; imported?: number; batches?: number};
  /** `problem` is that of an engine on other machines. */
  'disk-full': {problem?: string; imported?: number; batches?: number};
  'store-closed': {imported?: number; batches?: number};
  /** The engine did not confirm the commit in time: it was applied as a whole, will be, or never is. Never by the embedded engine. */
  'outcome-unknown': {commitId: string; imported?: number; batches?: number};
  internal: object;
}

/** A failure of a call for entries, events or the identity. */
export type DataFailure = FailureIn<DataMembers>;
