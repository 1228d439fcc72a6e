import {STATUS_CODES} from 'node:http';
import {AppError, type Failure} from '../../domain/failure.ts';
import {formatFailure} from '../../protocol/failure-document.ts';
import {findStatus, statusOf} from '../../protocol/failure-status.ts';
import {answer, type WholeAnswer, WINDOW_HEADERS} from './message.ts';

/** Returns what was thrown as a failure. Anything unforeseen becomes `internal`, without its details. */
export function toFailure(error: unknown, requestId: string): Failure {
  if (error instanceof AppError && findStatus(error.failure) !== undefined) return error.failure;
  return {code: 'internal', requestId};
}

/** Makes the answer for a failure: a problem document (RFC 9457), and the headers that belong to it. */
export function failureAnswer(failure: Failure, requestId: string): WholeAnswer {
  const status = statusOf(failure);
  const problem = formatFailure(failure, {title: STATUS_CODES[status] ?? '', instance: requestId});
  const allow = failure.code === 'method-not-allowed' ? ['Allow', failure.allowed.join(', ')] : [];
  const pauseSeconds = 'retryAfterSeconds' in failure ? failure.retryAfterSeconds : undefined;
  const pause = pauseSeconds === undefined ? [] : ['Retry-After', String(pauseSeconds)];
  const rawHeaders = [...WINDOW_HEADERS, ...allow, ...pause];
  return answer(problem, {status, contentType: 'application/problem+json', rawHeaders});
}
