import type {DocumentProblem, Failure, FailureCode} from './failure.ts';

/** Messages of failures, by their codes. */
export type FailureTexts<C extends FailureCode> = {
  readonly [Code in C]: (failure: Extract<Failure, {code: Code}>) => string;
};

/**
 * The messages of failures of the client itself. Has the name of the complete table, because bundles for browsers use this
 * module in place of `failure-texts.ts` (`browser` in package.json): the service sends the messages of other failures.
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

/** Describes a problem of a document with its location, unless it concerns the whole document. */
export function describeProblem({path, problem}: DocumentProblem): string {
  return path === '$' ? `it ${problem}` : `${path} ${problem}`;
}

/** Quotes a text within a message. */
export function quote(text: string): string {
  return JSON.stringify(text);
}
