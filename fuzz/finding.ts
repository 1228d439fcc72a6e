import type {Answer} from './connection.ts';

/** One violation in an answer. */
export interface Finding {
  /** The rule that was broken. */
  readonly rule: FindingRule;
  /** The operation or place that answered, and its status. */
  readonly where: string;
  /** Description for people. */
  readonly text: string;
}

/** All rules. */
export type FindingRule =
  /** A status of 500 and above that the service does not promise. */
  | 'server-error'
  | 'undocumented-status'
  | 'undocumented-type'
  | 'undocumented-header'
  | 'missing-header'
  | 'wrong-header'
  /** The body violates its schema or content type. */
  | 'wrong-body'
  /** A problem document that does not match its status, or has an unknown code. */
  | 'wrong-problem'
  /** A secret, or an internal detail such as a stack trace. */
  | 'leak'
  /** The guard admitted a request that it must refuse. */
  | 'admitted'
  /** A write that is something else than its method and body was accepted, or changed the entry of its path. */
  | 'disguised'
  | 'wrong-frame'
  | 'late'
  | 'broken'
  | 'unanswered'
  | 'surplus'
  /** The process ended, or did not answer `/livez`. */
  | 'down'
  /** The service reported an unexpected error. */
  | 'error-log'
  | 'memory';

/** A finding without its place. */
export type Found = Pick<Finding, 'rule' | 'text'>;

/** Creates a finding without its place. */
export function found(rule: FindingRule, text: string): Found {
  return {rule, text};
}

/** A body as text; invalid UTF-8 becomes characters that JSON allows only in strings. */
export function textOf({body}: Pick<Answer, 'body'>): string {
  return Buffer.from(body).toString();
}

/** Value of the first header of a name in lower case. */
export function headerOf(headers: Answer['headers'], name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}
