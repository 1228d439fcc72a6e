import * as v from 'valibot';
import {readFaultText} from '../../core/documents/fault-text.ts';
import {type PathBase, resolvePath} from '../paths.ts';

/** A setting: its description in help, and its reader. */
export interface Setting<T> {
  /** The name of its value in help; undefined for a switch. */
  readonly placeholder?: string;
  readonly description: string;
  readonly repeatable?: boolean;
  /** That of the data directory depends on the platform. */
  readonly default: T;
  /** All values, if there are few. */
  readonly choices?: readonly string[];
  /** Its form in the config file, a schema of valibot: an opaque object, since programs that embed the service read its types without valibot. */
  readonly schema: object;
  /** Reads a value of text or JSON. */
  read(given: unknown, base: PathBase): Reading<T>;
}

/** The form of a setting: its schema, its reader, and the default that most settings of it have. */
export type Form<T> = Pick<Setting<T>, 'default' | 'choices' | 'schema' | 'read'>;

/** The value, or the problem with it. */
export type Reading<T> = {readonly value: T} | {readonly problem: string};

const text = v.pipe(v.string(), v.minLength(1));

/** A string that is not empty. */
export const TEXT: Form<string> = {
  default: '',
  schema: text,
  read: given =>
    typeof given === 'string' && given !== '' ? {value: given} : wrong(given, 'a string that is not empty'),
};

/** A path. */
export const PATH: Form<string> = {
  default: '',
  schema: text,
  read(given, base) {
    const reading = TEXT.read(given, base);
    return 'value' in reading ? {value: resolvePath(reading.value, base)} : reading;
  },
};

/** One of a few strings. */
export function choiceOf<const T extends readonly string[]>(choices: T, byDefault: T[number]): Form<T[number]> {
  const wanted = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return {
    default: byDefault,
    choices,
    schema: v.picklist(choices),
    read(given) {
      const value = choices.find(choice => choice === given);
      return value === undefined ? wrong(given, wanted) : {value};
    },
  };
}

/** A switch, also as text: see {@link readSwitch}. */
export const SWITCH: Form<boolean> = {
  default: false,
  schema: v.boolean(),
  read(given) {
    const value = typeof given === 'string' ? readSwitch(given) : given;
    return typeof value === 'boolean' ? {value} : wrong(given, 'true or false');
  },
};

/** Reads a switch from text: true, 1, yes or on, false, 0, no or off, in any case; undefined for any other text. */
export function readSwitch(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined;
}

/** A whole number, also as text in decimal digits. */
export function wholeNumber({min, max}: {readonly min: number; readonly max: number}, byDefault: number): Form<number> {
  return {
    default: byDefault,
    schema: v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
    read(given) {
      const value = typeof given === 'string' && /^[0-9]{1,15}$/.test(given) ? Number(given) : given;
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return {value};
      return wrong(given, `a whole number from ${min} to ${max}`);
    },
  };
}

/** Longest invalid value that is repeated, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 64;

function wrong(given: unknown, wanted: string): {readonly problem: string} {
  const shown = JSON.stringify(given);
  return {problem: `has to be ${wanted}, not ${shown.length > SHOWN_LENGTH_MAX ? 'this long value' : shown}`};
}

/** Several strings: an array in a file, a repeated flag, or a variable with commas. */
export function listOf(findProblem: (text: string) => string | undefined): Form<readonly string[]> {
  return {
    default: [],
    schema: v.union([v.array(text), text]),
    read(given) {
      const texts: readonly unknown[] =
        typeof given === 'string' ? given.split(',').map(each => each.trim()) : Array.isArray(given) ? given : [given];
      for (const each of texts) {
        const problem = typeof each === 'string' ? findProblem(each) : 'is not a string';
        if (problem !== undefined) return {problem: `${JSON.stringify(each)} ${problem}`};
      }
      return {value: texts as readonly string[]};
    },
  };
}

const NON_EMPTY = listOf(each => (each === '' ? 'is not a path' : undefined));

/** Several paths, as {@link listOf} reads them. */
export const PATHS: Form<readonly string[]> = {
  default: [],
  schema: NON_EMPTY.schema,
  read(given, base) {
    const reading = NON_EMPTY.read(given, base);
    return 'value' in reading ? {value: reading.value.map(path => resolvePath(path, base))} : reading;
  },
};

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
