import {adviseOnError, statusOf} from '../../failures/facts.ts';
import {type AnyFailure, isSentFailure} from '../../failures/failure.ts';
import {FailureError} from '../../failures/failure-error.ts';
import {parseDocument} from '../text/read-document.ts';

/** Members of a problem document that the failure itself does not have. */
export interface FailureContext {
  /** Name of the HTTP status. */
  readonly title: string;
  /** Id of the request that failed. */
  readonly instance: string;
}

/** Writes the problem document (RFC 9457) of a failure: its own members beside those of the standard. */
export function formatFailure(error: FailureError<AnyFailure>, {title, instance}: FailureContext): string {
  return JSON.stringify({title, status: statusOf(error), ...problemMembers(error), instance});
}

/** Returns the address of the page that describes a failure, without the service that has it. */
export function pageOf(code: string): string {
  return `/docs/errors/${code}`;
}

/** Members of a problem document that do not depend on a request, beside those of the failure. */
export interface ProblemMembers extends Members {
  readonly code: string;
  /** The message. */
  readonly detail: string;
  readonly advice: string;
  /** Id of the request for which the failure was received. */
  readonly instance?: string;
}

/** Returns the members of a problem document that do not depend on a request: its page, message, advice, and those of the failure. */
export function problemMembers(error: FailureError<AnyFailure>): ProblemMembers {
  const {code, failure = {code}, message: detail, instance} = error;
  return {type: pageOf(code), detail, ...(instance && {instance}), advice: adviseOnError(error), ...failure};
}

/** Members of a document. */
type Members = Readonly<Record<string, unknown>>;

/** Reads what {@link formatFailure} writes. A failure that this version does not know has its code, its message and its advice. */
export function readSentFailure(json: string): FailureError {
  return readProblemMembers(parseDocument(json));
}

/** Reads what {@link problemMembers} returns, as a whole document or a member of one. See {@link readSentFailure}. */
export function readProblemMembers(members: ProblemMembers & {readonly status?: number}): FailureError {
  const {type, title, status, detail, instance, advice, ...failure} = members;
  const known = isSentFailure(failure) ? failure : failure.code;
  return new FailureError(known, {message: detail, status, instance, advice});
}
