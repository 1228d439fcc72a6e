import {readFaultText} from '../domain/fault-text.ts';
import {type PathBase, resolvePath} from '../paths.ts';

/** A setting: its description in help, and its reader. */
export interface Setting<T> {
  /** The name of its value in help; undefined for a switch. */
  readonly placeholder?: string;
  readonly description: string;
  readonly repeatable?: boolean;
  /** All values, if there are few. */
  readonly choices?: readonly string[];
  /** Reads a value of text or JSON. */
  read(given: unknown, base: PathBase): Reading<T>;
}

/** The value, or the problem with it. */
export type Reading<T> = {readonly value: T} | {readonly problem: string};

/** Reads a string that is not empty. */
export function readText(given: unknown): Reading<string> {
  return typeof given === 'string' && given !== '' ? {value: given} : wrong(given, 'a string that is not empty');
}

/** Reads a path. */
export function readPath(given: unknown, base: PathBase): Reading<string> {
  const reading = readText(given);
  return 'value' in reading ? {value: resolvePath(reading.value, base)} : reading;
}

/** Reads one of a few strings. */
export function readChoice<T extends string>(choices: readonly T[]): Setting<T>['read'] {
  const wanted = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return given => {
    const value = choices.find(choice => choice === given);
    return value === undefined ? wrong(given, wanted) : {value};
  };
}

/** Reads a switch: `true`, `false`, `1` or `0`. */
export function readFlag(given: unknown): Reading<boolean> {
  if (given === true || given === 'true' || given === '1') return {value: true};
  if (given === false || given === 'false' || given === '0') return {value: false};
  return wrong(given, 'true or false');
}

/** Reads a whole number, also from text in decimal digits. */
export function readInteger(min: number, max: number): Setting<number>['read'] {
  return given => {
    const value = typeof given === 'string' && /^[0-9]{1,15}$/.test(given) ? Number(given) : given;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return {value};
    return wrong(given, `a whole number from ${min} to ${max}`);
  };
}

/** Longest invalid value that is repeated, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 64;

function wrong(given: unknown, wanted: string): {readonly problem: string} {
  const shown = JSON.stringify(given);
  return {problem: `has to be ${wanted}, not ${shown.length > SHOWN_LENGTH_MAX ? 'this long value' : shown}`};
}

/** Reads several strings: an array in a file, a repeated flag, or a variable with commas. */
export function readList(findProblem: (text: string) => string | undefined): Setting<readonly string[]>['read'] {
  return given => {
    const texts: readonly unknown[] =
      typeof given === 'string' ? given.split(',').map(text => text.trim()) : Array.isArray(given) ? given : [given];
    for (const text of texts) {
      const problem = typeof text === 'string' ? findProblem(text) : 'is not a string';
      if (problem !== undefined) return {problem: `${JSON.stringify(text)} ${problem}`};
    }
    return {value: texts as readonly string[]};
  };
}

/** Reads several paths: an array in a file, a repeated flag, or a variable with commas. */
export function readPaths(given: unknown, base: PathBase): Reading<readonly string[]> {
  const reading = readList(text => (text === '' ? 'is not a path' : undefined))(given, base);
  return 'value' in reading ? {value: reading.value.map(path => resolvePath(path, base))} : reading;
}

/** Finds the problem with a host name. */
export function findHostProblem(text: string): string | undefined {
  return /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/.test(text)
    ? undefined
    : 'is not a host name, without scheme and port';
}

/** Finds the problem with the name or id of a user. Whether the user exists is not checked. */
export function findUserProblem(text: string): string | undefined {
  if (text === '*') return 'would let the programs of every user call; name each of them';
  // A dash would make it an option of the program that looks it up.
  return /^[^-\s:/,*][^\s:/,*]*$/.test(text) ? undefined : 'is neither the name nor the id of a user';
}

/** Finds the problem with the text of a fault. */
export function findFaultProblem(text: string): string | undefined {
  const reading = readFaultText(text);
  return 'problem' in reading ? reading.problem : undefined;
}
