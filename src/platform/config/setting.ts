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

/** The parts of a form that its schema reads. */
interface Simple<T> {
  readonly default: T;
  readonly schema: v.GenericSchema<T>;
  /** The values that fit, for people. */
  readonly wanted: string;
  /** Returns the value that a text stands for; undefined for none. */
  readonly fromText?: (text: string) => unknown;
}

/** Creates a form whose reader accepts what its schema does, also as text. */
function formOf<T>({default: byDefault, schema, wanted, fromText}: Simple<T>): Form<T> {
  return {
    default: byDefault,
    schema,
    read(given) {
      const reading = v.safeParse(schema, typeof given === 'string' ? (fromText?.(given) ?? given) : given);
      return reading.success ? {value: reading.output} : wrong(given, wanted);
    },
  };
}

/** A string that is not empty. */
export const TEXT = formOf<string>({default: '', schema: text, wanted: 'a string that is not empty'});

/** A path. */
export const PATH: Form<string> = {
  ...TEXT,
  read(given, base) {
    const reading = TEXT.read(given, base);
    return 'value' in reading ? {value: resolvePath(reading.value, base)} : reading;
  },
};

/** One of a few strings. */
export function choiceOf<const T extends readonly string[]>(choices: T, byDefault: T[number]): Form<T[number]> {
  const wanted = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return {...formOf<T[number]>({default: byDefault, schema: v.picklist(choices), wanted}), choices};
}

/** A switch, also as text: see {@link readSwitch}. */
export const SWITCH = formOf({default: false, schema: v.boolean(), wanted: 'true or false', fromText: readSwitch});

/** Reads a switch from text: true, 1, yes or on, false, 0, no or off, in any case; undefined for any other text. */
export function readSwitch(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined;
}

/** A whole number, also as text in decimal digits. */
export function wholeNumber({min, max}: {readonly min: number; readonly max: number}, byDefault: number): Form<number> {
  return formOf({
    default: byDefault,
    schema: v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
    wanted: `a whole number from ${min} to ${max}`,
    fromText: digits => (/^[0-9]{1,15}$/.test(digits) ? Number(digits) : undefined),
  });
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
  ...NON_EMPTY,
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
