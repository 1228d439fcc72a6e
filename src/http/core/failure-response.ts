import {STATUS_CODES} from 'node:http';
import {withoutSecrets} from '../../core/domain/redaction.ts';
import {AppError, describeFailure} from '../../core/failures/app-error.ts';
import {findStatus, retryAfterOf, statusOf} from '../../core/failures/facts.ts';
import {faultOf} from '../../core/failures/failure.ts';
import {formatFailure} from '../../core/protocol/failure/failure-document.ts';
import {answer, type WholeAnswer, WINDOW_HEADERS} from './message.ts';

/** Converts anything that was thrown to an error that can be sent. An unexpected one becomes `internal`, without its details. */
export function toAppError(error: unknown, requestId: string): AppError {
  const isKnown = error instanceof AppError && findStatus(error.code) !== undefined;
  if (isKnown && (error.code !== 'internal' || faultOf(error.failure) !== undefined)) return error;
  const failure = {code: 'internal'} as const;
  return new AppError(failure, {message: `${describeFailure(failure)} (request ${JSON.stringify(requestId)})`});
}

/** Creates the answer for a failure: a problem document (RFC 9457), and the headers that belong to it. */
export function failureAnswer(error: AppError, requestId: string): WholeAnswer {
  const {failure} = error;
  const status = statusOf(error);
  // A failure may repeat a path, a name or a parameter, and its caller may log it.
  const problem = withoutSecrets(formatFailure(error, {title: STATUS_CODES[status] ?? '', instance: requestId}));
  const allow = failure?.code === 'method-not-allowed' ? ['Allow', failure.allowed.join(', ')] : [];
  // RFC 9110 section 11.6.1. Browsers do not ask the user for a token of this kind.
  const challenge = status === 401 ? ['WWW-Authenticate', 'Bearer'] : [];
  const pauseSeconds = retryAfterOf(error);
  const pause = pauseSeconds === undefined ? [] : ['Retry-After', String(pauseSeconds)];
  const rawHeaders = [...WINDOW_HEADERS, ...allow, ...challenge, ...pause];
  return answer(problem, {status, contentType: 'application/problem+json; charset=utf-8', rawHeaders});
}
