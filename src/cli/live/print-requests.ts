import type {Log} from '../../core/domain/log.ts';
import type {RecordedRequest, Requests} from '../../core/domain/recorded-request.ts';
import {isExpectedFailure} from '../../core/failures/facts.ts';
import {writeTimes} from '../../core/protocol/text/times.ts';
import type {RequestChoice} from '../catalogue/service-commands.ts';

/** Prints one request. */
export type RequestPrinter = (request: RecordedRequest) => void;

/** Logs requests as they are answered, for programs: one line for each. */
export function logRequests(requests: Requests, choice: RequestChoice, log: Log): void {
  const print: RequestPrinter = request => log.info('request', writeTimes(request));
  const onMissed = (count: number): void => log.info('requests not logged', {count});
  printRequests(requests, {choice, print, onMissed}).catch(error =>
    log.error('requests are no longer logged', {error}),
  );
}

export interface PrintOptions {
  readonly choice: RequestChoice;
  readonly print: RequestPrinter;
  /** Called with the number of requests that came too fast to be printed. */
  readonly onMissed: (count: number) => void;
}

/** Prints requests as they are answered, until the service ends. */
export async function printRequests(requests: Requests, {choice, print, onMissed}: PrintOptions): Promise<void> {
  if (choice === 'off') return;
  for await (const page of requests.follow()) {
    if (page.missed > 0) onMissed(page.missed);
    for (const request of page.requests) if (choice === 'all' ? !request.own : isRefused(request)) print(request);
  }
}

/** Returns whether a request was refused, and not as part of normal operation. */
export function isRefused({failure}: RecordedRequest): boolean {
  return failure !== undefined && !isExpectedFailure(failure.code);
}

/**
 * Leaves failures of requests out of a log, because the requests themselves are printed. Errors of the service itself stay, with their
 * traces.
 */
export function withoutFailedRequests(log: Log): Log {
  const isRequest = (about: Readonly<Record<string, unknown>> = {}): boolean =>
    'path' in about && 'code' in about && about['code'] !== 'internal';
  return {
    error: (message, about) => isRequest(about) || log.error(message, about),
    info: (message, about) => isRequest(about) || log.info(message, about),
    debug: (message, about) => log.debug(message, about),
  };
}
