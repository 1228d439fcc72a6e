import {list, number, optional, text} from './checks.ts';
import type {MembersByCode} from './members.ts';

/** Members of the failures of requests besides those in `data.ts`. */
export const REQUEST_MEMBERS = {
  'invalid-import': {line: number, problem: text, imported: number, batches: number},
  'snapshot-failed': {directory: text, problem: text},
  'unsupported-body': {problem: text},
  'invalid-header': {header: text, problem: text},
  'malformed-request': {problem: text},
  'no-resource': {
    path: text,
    /** The path with the slashes of its key encoded, if that is a valid path. */
    meant: optional(text),
  },
  'method-not-allowed': {method: text, allowed: list(text)},
  'not-a-page': {path: text},
  /** Browsers do not mark their requests to `host`, and the request has nothing that a page of another origin cannot send. */
  'unmarked-request': {host: text},
  'other-user': {
    /** The user id of the process at the other end; absent if no process of this machine has it. */
    owner: optional(number),
  },
  'subscriber-too-slow': {cursor: text},
  'reader-too-slow': {
    idleMs: number,
    /** The age of the snapshot, if the engine closed it for that. */
    ageMs: optional(number),
  },
} as const satisfies MembersByCode;
