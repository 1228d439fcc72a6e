import type {Failure} from '../failures/failure.ts';
import {type CheckedMembers, hasMembers} from './failure-members.ts';

/**
 * A failure of a call for entries, events or the identity. Other failures of the service are in `sent-failure.ts`, so that
 * bundles of the client for web pages leave them out.
 */
export type DataFailure = Extract<Failure, {code: keyof typeof MEMBERS}>;

/** Returns whether a document is a {@link DataFailure}, with all its members. */
export function isDataFailure(document: Readonly<Record<string, unknown>>): document is DataFailure & typeof document {
  return hasMembers(document, MEMBERS);
}

const MEMBERS = {
  'invalid-key': 'key problem',
  'invalid-json': 'problem position#',
  'invalid-transaction': 'problems',
  'value-too-deep': 'depthMax# position#',
  'value-too-large': 'sizeBytesMax#',
  'transaction-too-large': 'sizeBytesMax#',
  'patch-too-large': 'membersMax#',
  'invalid-parameter': 'parameter problem',
  'no-entry': 'key',
  'no-identity': '',
  'revision-conflict': 'conflicts',
  'foreign-host': 'host',
  'foreign-origin': 'origin',
  'cross-site': 'site',
  'headers-too-large': '',
  'invalid-token': 'problem',
  'permission-required': 'permission principal',
  'token-required': 'permission plugin?',
  'request-timeout': '',
  'too-many-connections': 'connectionsMax#',
  'too-many-bodies': '',
  'user-lookup-failed': '',
  'too-many-subscribers': 'subscribersMax#',
  'entry-corrupt': 'key',
  'store-corrupt': 'after?',
  'store-read-only': 'problem imported#? batches#?',
  'store-unavailable': 'problem imported#? batches#?',
  'disk-full': 'imported#? batches#?',
  'store-busy': 'waitingMax# imported#? batches#?',
  'store-closed': 'imported#? batches#?',
  'outcome-unknown': 'commitId imported#? batches#?',
  internal: 'requestId',
} as const;

/** The members of each {@link DataFailure}. */
export const DATA_FAILURE_MEMBERS: CheckedMembers<typeof MEMBERS> = MEMBERS;
