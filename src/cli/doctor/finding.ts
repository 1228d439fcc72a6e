import {AppError} from '../../core/failures/app-error.ts';
import {adviseOnError} from '../../core/failures/facts.ts';
import type {CliContext} from '../terminal/context.ts';

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

/** A problem stops the service or back end from working, a warning may surprise users, a skipped check did not run. */
export type FindingLevel = 'ok' | 'warning' | 'problem' | 'skipped';

/** A check, by its name for people; it makes findings. */
export class NamedCheck {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  ok(detail: string): Finding {
    return {check: this.name, level: 'ok', detail};
  }

  warning(detail: string, fix: string | undefined): Finding {
    return {check: this.name, level: 'warning', detail, fix};
  }

  problem(detail: string, fix: string | undefined): Finding {
    return {check: this.name, level: 'problem', detail, fix};
  }

  skipped(detail: string, fix: string): Finding {
    return {check: this.name, level: 'skipped', detail, fix};
  }
}

/** Turns a failure into a finding. @throws Any other error. */
export function findingOf(check: string, error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  return {check, level: 'problem', detail: error.message, fix: adviseOnError(error)};
}

/** This machine, as the checks see it. */
export interface DoctorContext
  extends Pick<CliContext, 'userId' | 'nodeVersion' | 'platform' | 'homeDir' | 'environment' | 'elapsedMs'> {
  /** Sends a request to the service. */
  readonly fetch: (request: Request) => Promise<Response>;
}
