import {AppError} from '../failures/app-error.ts';
import {adviseOn} from '../failures/failure-advice.ts';

/** Result of one check. */
export interface Finding {
  /** Name of the check, for people. */
  readonly check: string;
  readonly level: FindingLevel;
  readonly detail: string;
  /** Advice; present unless the level is `ok`. */
  readonly fix?: string | undefined;
}

/** The findings of each step, as the steps run one after the other. */
export type Findings = AsyncIterable<readonly Finding[]>;

/** A problem prevents the service or the back end from working, a warning may surprise users, a skipped check did not run. */
export type FindingLevel = 'ok' | 'warning' | 'problem' | 'skipped';

/** Turns a failure into a finding. @throws Any other error. */
export function findingOf(check: string, error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  return {check, level: 'problem', detail: error.message, fix: adviseOn(error.failure)};
}
