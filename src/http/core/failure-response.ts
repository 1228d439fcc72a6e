import {AppError} from '../../failures/app-error.ts';
import {findStatus, statusOf} from '../../failures/facts.ts';
import type {Failure} from '../../failures/failure.ts';
import {STATUS_TEXTS} from '../../failures/rows/status-text.ts';
import {formatFailure} from '../../protocol/failure/failure-document.ts';
import {answer, type WholeAnswer, WINDOW_HEADERS} from './message.ts';

/** Converts anything that was thrown to an error that can be sent. An unexpected one becomes `internal`, without its details. */
export function toAppError(error: unknown, requestId: string): AppError {
  if (!(error instanceof AppError) || findStatus(error.failure.code) === undefined)
    return new AppError({code: 'internal', requestId});
  const {failure} = error;
  return failure.code === 'internal' ? new AppError({...failure, requestId}) : error;
}

/** Creates the answer for a failure: a problem document (RFC 9457), and the headers that belong to it. */
export function failureAnswer(error: AppError, requestId: string): WholeAnswer {
  const {failure} = error;
  const status = statusOf(failure);
  const problem = formatFailure(error, {title: STATUS_TEXTS[status], instance: requestId});
  const allow = failure.code === 'method-not-allowed' ? ['Allow', failure.allowed.join(', ')] : [];
  // RFC 9110 section 11.6.1. Browsers do not ask the user for a token of this kind.
  const challenge = status === 401 ? ['WWW-Authenticate', 'Bearer'] : [];
  const pauseSeconds = pauseOf(failure);
  const pause = pauseSeconds === undefined ? [] : ['Retry-After', String(pauseSeconds)];
  const rawHeaders = [...WINDOW_HEADERS, ...allow, ...challenge, ...pause];
  return answer(problem, {status, contentType: 'application/problem+json', rawHeaders});
}

/** Delay before a request is sent again to a store that was unavailable, in seconds: as long as engines on several machines take to elect a leader. */
const STORE_PAUSE_SECONDS = 2;

/** Returns the delay before a retry, in seconds, if the failure has one. */
function pauseOf(failure: Failure): number | undefined {
  if (failure.code === 'store-unavailable') return STORE_PAUSE_SECONDS;
  return 'retryAfterSeconds' in failure ? failure.retryAfterSeconds : undefined;
}
