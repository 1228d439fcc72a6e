import {formatPath} from '../../domain/json-path.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';

/** A kind of values that a member may have. */
export interface Kind<T> {
  /** Its name in problems, such as `a string`. */
  readonly name: string;
  readonly includes: (value: unknown) => value is T;
}

/** Any string. */
export const STRING: Kind<string> = {name: 'a string', includes: value => typeof value === 'string'};

/** A string that is not empty. */
export const TEXT: Kind<string> = {
  name: 'a string that is not empty',
  includes: (value): value is string => typeof value === 'string' && value !== '',
};

/** Any number. */
export const NUMBER: Kind<number> = {name: 'a number', includes: value => typeof value === 'number'};

/** A whole number, zero or more. */
export const COUNT: Kind<number> = {
  name: 'a whole number that is not negative',
  includes: (value): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0,
};

/** True or false. */
export const BOOLEAN: Kind<boolean> = {name: 'true or false', includes: value => typeof value === 'boolean'};

/** An object that is not an array. */
export const OBJECT: Kind<Readonly<Record<string, unknown>>> = {
  name: 'an object',
  includes: (value): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** An array of strings and numbers. */
export const STRINGS_OR_NUMBERS: Kind<readonly (string | number)[]> = {
  name: 'an array of strings and numbers',
  includes: (value): value is readonly (string | number)[] =>
    Array.isArray(value) && value.every(each => STRING.includes(each) || NUMBER.includes(each)),
};

/** Returns the kind of a few strings. */
export function oneOf<const T extends string>(...values: readonly T[]): Kind<T> {
  const quoted = values.map(value => JSON.stringify(value));
  return {
    name: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`,
    includes: (value): value is T => values.some(each => each === value),
  };
}

/** Returns the kind of the values of either of two kinds. */
export function either<A, B>(a: Kind<A>, b: Kind<B>): Kind<A | B> {
  return {
    name: `${a.name} or ${b.name}`,
    includes: (value): value is A | B => a.includes(value) || b.includes(value),
  };
}

/** Location of a part of a manifest, and the lists that collect what was found in all of it. */
export interface Place {
  readonly path: readonly string[];
  /** Reasons why the plugin cannot run. */
  readonly problems: DocumentProblem[];
  /** Defects that are ignored. */
  readonly warnings: DocumentProblem[];
}

/** Reads an object of a manifest member by member. `null` counts as missing, since some tools write it. */
export class Members {
  readonly #place: Place;
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(members: Readonly<Record<string, unknown>>, place: Place) {
    this.#members = members;
    this.#place = place;
  }

  /** Returns the value of a member, of any kind; undefined if it is missing. */
  any(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined;
  }

  /** Reads a member without which the plugin cannot run. A defect is a problem. */
  required<T>(name: string, kind: Kind<T>): T | undefined {
    const value = this.any(name);
    if (kind.includes(value)) return value;
    return report(this.at(name).problems, this.at(name), describeDefect(value, kind));
  }

  /** Reads a member that may be missing. One of another kind is ignored, with a warning. */
  optional<T>(name: string, kind: Kind<T>): T | undefined {
    const value = this.any(name);
    if (value === undefined || kind.includes(value)) return value;
    return warn(this.at(name), `${describeDefect(value, kind)}; it is ignored`);
  }

  /** Reads a member that every plugin should have. A defect is a warning, and the given value is used instead. */
  assumed<T>(name: string, kind: Kind<T>, assumed: T): T {
    const value = this.any(name);
    if (kind.includes(value)) return value;
    warn(this.at(name), `${describeDefect(value, kind)}; ${JSON.stringify(assumed)} is used`);
    return assumed;
  }

  /** Returns the place of a member. */
  at(name: string): Place {
    return {...this.#place, path: [...this.#place.path, name]};
  }
}

function describeDefect(value: unknown, {name}: Kind<unknown>): string {
  return value === undefined ? 'is missing' : `has to be ${name}`;
}

/** Maximum number of problems, and of warnings, that are collected for one manifest. */
const FOUND_MAX = 100;

/** Collects a problem, unless there are too many already. */
export function report(found: DocumentProblem[], {path}: Pick<Place, 'path'>, problem: string): undefined {
  if (found.length < FOUND_MAX) found.push({path: formatPath(path), problem});
}

/** Collects a warning, unless there are too many already. */
export function warn(place: Place, problem: string): undefined {
  return report(place.warnings, place, problem);
}
