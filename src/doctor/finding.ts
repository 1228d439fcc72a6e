import {AppError, describeFailure} from '../domain/failure.ts';
import {adviseOn} from '../domain/failure-advice.ts';

/** What one look at one thing came to. */
export interface Finding {
  /** What was looked at, as people call it. */
  readonly check: string;
  readonly level: FindingLevel;
  readonly detail: string;
  /** What to do about it, or to have it looked at; always there unless all is well. */
  readonly fix?: string | undefined;
}

/** The steps that run one after the other, each with its findings. */
export type Steps = AsyncIterable<readonly Finding[]>;

/** A problem keeps the service, or a back end, from working; a warning may surprise somebody; skipped was not looked at. */
export type FindingLevel = 'ok' | 'warning' | 'problem' | 'skipped';

/** The finding that a failure is. What is no failure is thrown on. */
export function findingOf(check: string, error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  return {check, level: 'problem', detail: describeFailure(error.failure), fix: adviseOn(error.failure)};
}
