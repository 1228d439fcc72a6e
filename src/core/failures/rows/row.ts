/** HTTP status of a failure. */
export type FailureStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 412
  | 413
  | 415
  | 421
  | 422
  | 429
  | 431
  | 500
  | 502
  | 503
  | 504
  | 507;

/** The rows of some failures, by their codes: a new code does not compile until it has one. */
export type Rows<F extends {readonly code: string}> = {readonly [C in F['code']]: Row<Extract<F, {code: C}>>};

/** Everything about the failures of a code but the members, which are in `members/`. */
type Row<F> = Facts &
  ({readonly status?: Exclude<FailureStatus, 503>} | {readonly status: 503; readonly retryAfterSeconds: number}) & {
    /** Members that such a failure may have: those of a fault, and of tests. */
    readonly example: Omit<F, 'code'>;
  } & ([CaseMember & keyof F] extends [never] ? Case<F> : Cases<F, CaseMember & keyof F>);

/** Member that names the case of a failure whose message and advice depend on it. */
type CaseMember = 'what' | 'why' | 'stage';

/** Failures with such a member. */
export type WithCases = {readonly [M in CaseMember]: Readonly<Record<M, string>>}[CaseMember];

/** Messages and advice by a member; those of a new case do not compile until they are here. */
interface Cases<F, M extends keyof F> {
  readonly by: M;
  readonly cases: {readonly [C in Known<F[M]>]: Case<F>};
}

/** The names of a type that this version knows. */
type Known<T> = T extends string ? (string extends T ? never : T) : never;

/** The message of a failure, and a line that says what to do. */
type Case<F> = Words<F> & {readonly advice: string};

/** The message: the action that failed, the actual state and the expected one. That of a failure with problems may be its heading alone. */
type Words<F> = F extends {readonly problems: readonly unknown[]}
  ? {readonly heading: (failure: F) => string; readonly text?: (failure: F) => string}
  : {readonly text: (failure: F) => string};

/** The part of a row that does not depend on the members. */
interface Facts {
  /** HTTP status of the answer; absent if no request fails with it. */
  readonly status?: FailureStatus;
  /** Delay before a retry, in seconds; each failure of status 503 has one. */
  readonly retryAfterSeconds?: number;
  /** Name of the exit code of a command that fails with it. `usage` is for failures that another command line would fix. @default {'failure'} */
  readonly exit?: 'usage' | 'notFound' | 'conflict' | 'unreachable';
  /** True if it is part of normal operation, so that people need not look at each of them. */
  readonly expected?: true;
  /** When it happens, as Markdown; links are relative to `docs/`. For people who look the code up. */
  readonly when: string;
}

/** A case of a failure that is not known. */
export interface AnyCase {
  readonly text?: (failure: never) => string;
  readonly heading?: (failure: never) => string;
  readonly advice: string;
}

/** The row of a failure of which the code is not known. */
export interface AnyRow extends Facts, Partial<AnyCase> {
  readonly by?: CaseMember;
  readonly cases?: Readonly<Record<string, AnyCase>>;
  readonly example: Readonly<Record<string, unknown>>;
}
