import {AppError, describeFailure} from '../../domain/app-error.ts';
import type {Failure} from '../../domain/failure.ts';
import {adviseOn} from '../../domain/failure-advice.ts';
import {isSentFailure} from '../../domain/sent-failure.ts';
import {parseDocument, UnexpectedDocument} from '../text/read-document.ts';
import {statusOf} from './failure-status.ts';

/** Members of a problem document that the failure itself does not have. */
export interface FailureContext {
  /** Name of the HTTP status. */
  readonly title: string;
  /** Id of the request that failed. */
  readonly instance: string;
}

/** Writes the problem document (RFC 9457) of a failure: its own members beside those of the standard. */
export function formatFailure(failure: Failure, {title, instance}: FailureContext): string {
  return JSON.stringify({type: 'about:blank', title, status: statusOf(failure), instance, ...problemOf(failure)});
}

/** Returns the members of a problem document that do not depend on a request: message, advice, and those of the failure. */
export function problemOf(failure: Failure): object {
  return {detail: describeFailure(failure), advice: adviseOn(failure), ...failure};
}

/**
 * Reads what {@link formatFailure} writes. A failure that this version does not know keeps its code, message and advice.
 *
 * @param httpStatus The status of the answer.
 * @throws {UnexpectedDocument} If it is not a problem document of this service.
 */
export function readFailure(json: string, httpStatus: number): AppError {
  return readProblem(parseMembers(json), httpStatus);
}

/** Reads what {@link problemOf} returns, within a document of its own or of another. See {@link readFailure}. */
export function readProblem(members: Readonly<Record<string, unknown>>, httpStatus: number): AppError {
  const {type, title, status, detail, instance, advice, ...failure} = members;
  const {code} = failure;
  if (typeof code !== 'string' || typeof detail !== 'string')
    throw new UnexpectedDocument('it is not a problem document of this service');
  if (isSentFailure(failure)) return new AppError(failure, {message: detail});
  const unknown = {code: 'unknown-failure', sentCode: code, status: httpStatus, detail} as const;
  return new AppError(typeof advice === 'string' ? {...unknown, advice} : unknown);
}

function parseMembers(json: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(json);
  return typeof document === 'object' && document !== null ? {...document} : {};
}
