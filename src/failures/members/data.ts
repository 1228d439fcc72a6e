import {list, number, object, optional, text} from './checks.ts';
import {type FailureIn, isFailureIn, type MembersByCode, problems, stored} from './members.ts';
import type {Conflict} from './problems.ts';

const conflict = object<Conflict>({key: text, expected: text, actual: text});

/** Members of the failures of calls for entries, events and the identity. The client for web pages knows no others of the service, so that it
 * is small. */
export const DATA_MEMBERS = {
  'invalid-key': {key: text, problem: text},
  'invalid-json': {problem: text, position: number},
  'invalid-transaction': {problems},
  'value-too-deep': {depthMax: number, position: number},
  'value-too-large': {sizeBytesMax: number},
  'transaction-too-large': {sizeBytesMax: number},
  'patch-too-large': {membersMax: number},
  'invalid-parameter': {parameter: text, problem: text},
  'no-entry': {key: text},
  'no-identity': {},
  'revision-conflict': {conflicts: list(conflict)},
  'foreign-host': {host: text},
  'foreign-origin': {origin: text},
  'cross-site': {
    /** The `Sec-Fetch-Site` of the request, or `prefetch` or `prerender`. */
    site: text,
  },
  'headers-too-large': {},
  /** A token of this service is wrong, has expired, was revoked, or is sent twice. */
  'invalid-token': {problem: text},
  'permission-required': {
    permission: text,
    /** The caller that lacks the permission, such as `token:backup`. */
    principal: text,
  },
  'token-required': {
    /** The smallest one that suffices; the request has no credentials. */
    permission: text,
    plugin: optional(text),
  },
  'request-timeout': {},
  /** The list of the sockets of this machine could not be read for the moment. */
  'user-lookup-failed': {},
  'too-many-connections': {connectionsMax: number},
  'too-many-bodies': {},
  'too-many-subscribers': {subscribersMax: number},
  'entry-corrupt': {key: text},
  'store-corrupt': {
    /** The damage is after this key in the order of the list; absent if no key was read. */
    after: optional(text),
  },
  'store-read-only': {problem: text, ...stored},
  /** The engine cannot be reached, and did nothing. Of the embedded engine only what was being read when a write failed. */
  'store-unavailable': {problem: text, ...stored},
  'disk-full': stored,
  'store-busy': {waitingMax: number, ...stored},
  'store-closed': stored,
  /** The engine did not confirm the commit in time: it was applied as a whole, will be, or never is. Never by the embedded engine. */
  'outcome-unknown': {commitId: text, ...stored},
  internal: {requestId: text},
} as const satisfies MembersByCode;

/** A failure of a call for entries, events or the identity. */
export type DataFailure = FailureIn<typeof DATA_MEMBERS>;

/** Returns whether a document is a {@link DataFailure}, with all its members. */
export function isDataFailure(document: Readonly<Record<string, unknown>>): document is DataFailure & typeof document {
  return isFailureIn(DATA_MEMBERS, document);
}
