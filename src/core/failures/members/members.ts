/** The failures that have such members besides their code, by their codes. */
export type FailureIn<M extends object> = {
  [C in keyof M & string]: Flat<{readonly code: C} & Readonly<M[C]>>;
}[keyof M & string];

type Flat<T> = {[N in keyof T]: T[N]};

/** A member that names the case. Newer services may have more. */
export type CaseOf<T extends string> = T | (string & {});
