import {type ServiceError, status} from '@grpc/grpc-js';
import {EngineFailure, type EngineFailureKind} from '../engine/driver.ts';

const LOGIN_OVER = /invalid auth token|auth: revision in header is old/;

/** Messages of etcd that its status does not tell apart. */
const BY_MESSAGE: readonly (readonly [message: RegExp, kind: EngineFailureKind, advice?: string])[] = [
  [/database space exceeded/, 'full'],
  [/too many requests/, 'unavailable'],
  [/received message larger than max \(\d+ vs\. \d+\)/i, 'too-large'],
  [/request is too large/, 'too-large', 'start etcd with --max-request-bytes=1572864 or more'],
  [/too many operations/, 'denied', 'start etcd with --max-txn-ops=128 or more'],
  [/required revision has been compacted/, 'compacted'],
  [/future revision/, 'unavailable'],
  [LOGIN_OVER, 'unavailable'],
  [/No connection established|Name resolution failed/, 'unavailable'],
];

const DENIED: readonly number[] = [
  ...[status.PERMISSION_DENIED, status.UNAUTHENTICATED, status.INVALID_ARGUMENT],
  ...[status.FAILED_PRECONDITION, status.UNIMPLEMENTED],
];

/** Text by which the library reports an answer that was cut off, with the status UNIMPLEMENTED. */
const CUT_OFF = /^No message received/;

/** Returns whether a call ended by its deadline. */
export function isLate(error: unknown): boolean {
  return (error as Partial<ServiceError>).code === status.DEADLINE_EXCEEDED;
}

/** Returns whether a call was refused because the login has expired, or the users have changed. It was not executed. */
export function isLoginOver(error: unknown): boolean {
  return LOGIN_OVER.test((error as Partial<ServiceError>).details ?? '');
}

/**
 * Describes a failed call to a member.
 *
 * @param lost Kind of everything that is not known to have failed: it may have been executed.
 */
export function toEngineFailure(error: unknown, member: string, lost: 'unavailable' | 'unknown'): EngineFailure {
  if (error instanceof EngineFailure) return error;
  if (!(error instanceof Error && 'details' in error)) throw error;
  const {code, details} = error as ServiceError;
  const byStatus = DENIED.includes(code) && !CUT_OFF.test(details) ? 'denied' : lost;
  const [, kind = byStatus, advice] = BY_MESSAGE.find(([message]) => message.test(details)) ?? [];
  // One line, without the note that the library adds, which is mostly empty.
  const tidy = details
    .replace(/\.? Resolution note: .*$/s, '')
    .replace(/\s+/g, ' ')
    .trim();
  const problem = isLate(error) ? 'it did not answer in time' : tidy;
  const text = `etcd at ${member}: ${problem}${advice === undefined ? '' : `; ${advice}`}`;
  return new EngineFailure(kind, text, {cause: error});
}
