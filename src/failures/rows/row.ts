import type {FailureStatus} from './status-text.ts';

/** The rows of some failures, by their codes: a new code does not compile until it has one. */
export type Rows<F extends {readonly code: string}> = {readonly [C in F['code']]: Row<Extract<F, {code: C}>>};

/** Everything about the failures of a code but the members, which are in `members/`. */
type Row<F> = Words<F> &
  Facts & {
    /** Members that such a failure may have: those of a fault, and of tests. */
    readonly example: Omit<F, 'code'>;
  };

/** The part of a row that does not depend on the members. */
interface Facts {
  /** HTTP status of the answer; absent if no request fails with it. */
  readonly status?: FailureStatus;
  /** Name of the exit code of a command that fails with it. `usage` is for failures that another command line would fix. @default {'failure'} */
  readonly exit?: 'usage' | 'notFound' | 'conflict' | 'unreachable';
  /** True if it is part of normal operation, so that people need not look at each of them. */
  readonly expected?: true;
  /** A line that says what to do. */
  readonly advice: string;
  /** When it happens, as Markdown; links are relative to `docs/`. For people who look the code up. */
  readonly when: string;
}

/** The row of a failure of which the code is not known. */
export interface AnyRow extends Facts {
  readonly text?: (failure: never) => string;
  readonly heading?: (failure: never) => string;
  readonly example: Readonly<Record<string, unknown>>;
}

/** The message: the action that failed, the actual state and the expected one. That of a failure with problems may be its heading alone. */
type Words<F> = F extends {readonly problems: readonly unknown[]}
  ? {readonly heading: (failure: F) => string; readonly text?: (failure: F) => string}
  : {readonly text: (failure: F) => string};
