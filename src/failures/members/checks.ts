/** Returns whether a value is one of a type. Small functions, since web pages load them with the client. */
export type MemberCheck<T> = (value: unknown) => value is T;

/** The checks of the members of a document, by their names. */
export type Checks = Readonly<Record<string, MemberCheck<unknown>>>;

/** The documents that have such members. */
export type MembersOf<C extends Checks> = Flat<
  {readonly [M in keyof C as undefined extends ValueOf<C[M]> ? never : M]: ValueOf<C[M]>} & {
    readonly [M in keyof C as undefined extends ValueOf<C[M]> ? M : never]?: Exclude<ValueOf<C[M]>, undefined>;
  }
>;

type ValueOf<C> = C extends MemberCheck<infer T> ? T : never;

type Flat<T> = {[M in keyof T]: T[M]};

/** Checks for a string. */
export function text(value: unknown): value is string {
  return typeof value === 'string';
}

/** Checks for a number. */
export function number(value: unknown): value is number {
  return typeof value === 'number';
}

/** Creates the check of a member that may be missing. */
export function optional<T>(check: MemberCheck<T>): MemberCheck<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

/** Creates the check of a list. No failure has an empty one. */
export function list<T>(check: MemberCheck<T>): MemberCheck<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.length > 0 && value.every(check);
}

/** Creates the check of an object with such members, and any others. */
export function object<T>(checks: {readonly [M in keyof T]: MemberCheck<T[M]>}): MemberCheck<T> {
  return (value): value is T =>
    Object.entries<MemberCheck<unknown>>(checks).every(([name, check]) => check((value as never)?.[name]));
}
