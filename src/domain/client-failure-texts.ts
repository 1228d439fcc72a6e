import type {DocumentProblem, Failure, FailureCode} from './failure.ts';

/** Words for failures, by their codes. */
export type FailureTexts<C extends FailureCode> = {
  readonly [Code in C]: (failure: Extract<Failure, {code: Code}>) => string;
};

/**
 * The words for what goes wrong in the client itself. Under the name of the table of all, since bundles for browsers have
 * this module in place of `failure-texts.ts` (`browser` in package.json): the words for the other failures, and there are
 * many of them, come from the service.
 */
export const FAILURE_TEXTS: FailureTexts<
  | 'invalid-key'
  | 'invalid-json'
  | 'invalid-parameter'
  | 'service-unreachable'
  | 'service-timeout'
  | 'invalid-value'
  | 'unexpected-answer'
  | 'unknown-failure'
> = {
  'invalid-key': ({key, problem}) => `Cannot use the key ${quote(key)}: ${problem}`,
  'invalid-json': ({problem, position}) => `Cannot read the value as JSON: ${problem} at byte ${position}`,
  'invalid-parameter': ({parameter, problem}) => `Cannot use the parameter ${quote(parameter)}: ${problem}`,
  'service-unreachable': ({url, problem}) => `Cannot reach the service at ${url}: ${problem}`,
  'service-timeout': ({url, timeoutMs}) => `Cannot wait longer for ${url}: no answer within ${timeoutMs} ms`,
  'invalid-value': ({key, problems}) =>
    `Cannot use the value of ${quote(key)}: ${problems.map(describeProblem).join('; ')}`,
  'unexpected-answer': ({url, status, problem}) => `Cannot understand the answer ${status} of ${url}: ${problem}`,
  'unknown-failure': ({sentCode, status, detail}) => `${detail} (code ${quote(sentCode)}, status ${status})`,
};

/** A place in a document and what is wrong with it; the document as a whole needs no path. */
export function describeProblem({path, problem}: DocumentProblem): string {
  return path === '$' ? `it ${problem}` : `${path} ${problem}`;
}

/** A text from elsewhere within the words for a failure. */
export function quote(text: string): string {
  return JSON.stringify(text);
}
