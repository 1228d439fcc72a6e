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

/** The location of a part of a manifest, and the list that collects its problems. */
export interface Place {
  readonly path: readonly string[];
  readonly problems: DocumentProblem[];
}

/** Reads an object of a manifest member by member, and collects the problems of all of them. */
export class Members {
  readonly #place: Place;
  readonly #members: Readonly<Record<string, unknown>> | undefined;

  constructor(value: unknown, place: Place) {
    this.#place = place;
    if (OBJECT.includes(value)) this.#members = value;
    else report(place, `has to be ${OBJECT.name}`);
  }

  /** Reads a required member. */
  required<T>(name: string, kind: Kind<T>): T | undefined {
    if (this.#members === undefined) return undefined;
    if (!Object.hasOwn(this.#members, name)) return report(this.at(name), 'is missing');
    return this.#read(name, kind);
  }

  /** Reads a member that may be missing. `null` counts as missing, since some tools write it. */
  optional<T>(name: string, kind: Kind<T>): T | undefined {
    if (this.#members === undefined || !Object.hasOwn(this.#members, name)) return undefined;
    return this.#members[name] === null ? undefined : this.#read(name, kind);
  }

  /** Returns the place of a member. */
  at(name: string): Place {
    return {...this.#place, path: [...this.#place.path, name]};
  }

  #read<T>(name: string, kind: Kind<T>): T | undefined {
    const value = this.#members?.[name];
    return kind.includes(value) ? value : report(this.at(name), `has to be ${kind.name}`);
  }
}

/** Maximum number of problems that are collected for one manifest. */
const PROBLEMS_MAX = 100;

/** Collects a problem, unless there are too many already. */
export function report({path, problems}: Place, problem: string): undefined {
  if (problems.length < PROBLEMS_MAX) problems.push({path: formatPath(path), problem});
}
