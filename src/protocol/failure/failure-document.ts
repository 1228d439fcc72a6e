import {statusOf} from '../../failures/facts.ts';
import type {Failure} from '../../failures/failure.ts';
import {adviseOn} from '../../failures/failure-advice.ts';
import {FailureError} from '../../failures/failure-error.ts';
import {parseDocument, UnexpectedDocument} from '../text/read-document.ts';

/** Members of a problem document that the failure itself does not have. */
export interface FailureContext {
  /** Name of the HTTP status. */
  readonly title: string;
  /** Id of the request that failed. */
  readonly instance: string;
}

/** Writes the problem document (RFC 9457) of a failure: its own members beside those of the standard. */
export function formatFailure(error: FailureError, {title, instance}: FailureContext): string {
  const {failure} = error;
  return JSON.stringify({
    type: pageOf(failure.code),
    title,
    status: statusOf(failure),
    instance,
    ...problemMembers(error),
  });
}

/** Returns the address of the page that describes a failure, without the service that has it. */
export function pageOf(code: string): string {
  return `/docs/errors/${code}`;
}

/** Returns the members of a problem document that do not depend on a request: message, advice, and those of the failure. */
export function problemMembers({failure, message}: FailureError): object {
  return {detail: message, advice: adviseOn(failure), ...failure};
}

/** Members of a document. */
type Members = Readonly<Record<string, unknown>>;

/** How an answer is read as a failure. */
export interface FailureReading {
  /** The status of the answer. */
  readonly httpStatus: number;
  /** Returns whether a document is a failure that the reader expects, with all its members. */
  readonly isKnown: (document: Members) => document is Failure & Members;
}

/**
 * Reads what {@link formatFailure} writes. A failure that the reader does not know keeps its code, message and advice.
 *
 * @throws {UnexpectedDocument} If it is not a problem document of this service.
 */
export function readSentFailure(json: string, reading: FailureReading): FailureError {
  return readProblemMembers(parseMembers(json), reading);
}

/** Reads what {@link problemMembers} returns, as a whole document or as a member of one. See {@link readSentFailure}. */
export function readProblemMembers(members: Members, {httpStatus, isKnown}: FailureReading): FailureError {
  const {type, title, status, detail, instance, advice, ...failure} = members;
  const {code} = failure;
  if (typeof code !== 'string' || typeof detail !== 'string') throw new UnexpectedDocument();
  if (isKnown(failure)) return new FailureError(failure, {message: detail});
  const unknown = {code: 'unknown-failure', sentCode: code, status: httpStatus, detail} as const;
  return new FailureError(typeof advice === 'string' ? {...unknown, advice} : unknown);
}

/** Reads the members of a document; those of any value that is not an object lack the members of a problem. */
function parseMembers(json: string): Members {
  return {...(parseDocument(json) as Members)};
}
