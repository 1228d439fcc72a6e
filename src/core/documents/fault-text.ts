import type {Fault, RequestFault} from '../domain/faults/fault.ts';
import {FAULT_KINDS} from '../failures/failure.ts';
import {findFaultProblems} from './faults.ts';

/** Result of reading a fault from text: the fault, or the problem in words. */
export type FaultTextReading = {readonly fault: Fault} | {readonly problem: string};

/**
 * Reads a fault from its text, in the form of the command line: `delay 500ms --path /api/store/*`, `error busy`,
 * `cut`, `disk-full`, `store-read-only`, `session-expired`, `airline-away`, `clock 2h`. Quotes stand around
 * spaces, as in a shell.
 */
export function readFaultText(text: string): FaultTextReading {
  const words = splitWords(text);
  return words === undefined ? {problem: 'has a quote that does not end'} : readFaultWords(words);
}

/** Splits a text at spaces that are not within quotes, and removes the quotes; undefined if one does not end. */
function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (const [piece] of text.matchAll(/\s+|'[^']*'|"[^"]*"|[^\s'"]+|['"]/g)) {
    if (piece === "'" || piece === '"') return undefined;
    if (piece.trim() !== '') word = (word ?? '') + (/^['"]/.test(piece) ? piece.slice(1, -1) : piece);
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** Reads a fault from the words of such a text. */
export function readFaultWords([kind = '', ...words]: readonly string[]): FaultTextReading {
  if (!FAULT_KINDS.some(each => each === kind))
    return {problem: `begins with ${JSON.stringify(kind.slice(0, 40))}, not with one of ${FAULT_KINDS.join(', ')}`};
  const members = new Map<string, unknown>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const name = word.startsWith('--') ? word.slice('--'.length) : VALUES.get(kind)?.name;
    if (name === undefined) return {problem: `has ${JSON.stringify(word)}, and ${kind} takes no value`};
    const isFlag = word.startsWith('--');
    if (isFlag && !FLAGS.has(name)) return {problem: `has the unknown flag ${JSON.stringify(word)}`};
    if (members.has(name))
      return {problem: `has ${isFlag ? word : JSON.stringify(word)} a second time or too many values`};
    if (isFlag) at++;
    const value = words[at];
    if (value === undefined) return {problem: `has no value after ${word}`};
    members.set(name, isFlag ? value : VALUES.get(kind)?.read(value));
  }
  return check(kind, members);
}

function check(kind: string, members: ReadonlyMap<string, unknown>): FaultTextReading {
  const fault = {kind, ...Object.fromEntries(members)};
  const [problem] = findFaultProblems([fault]);
  if (problem === undefined) return {fault: fault as unknown as Fault};
  const name = problem.path.slice('$.faults[0].'.length);
  const flag = [...FLAGS].find(each => members.has(each));
  if (flag !== undefined && !SELECTING.some(each => each === kind))
    return {problem: `has --${flag}, which only ${SELECTING.join(', ')} take: ${kind} is about the whole service`};
  if (FLAGS.has(name)) return {problem: `has a wrong --${name}: it ${problem.problem}`};
  return {problem: `has no valid value: ${kind} takes ${VALUES.get(kind)?.wanted}`};
}

/** Formats a fault as {@link readFaultText} reads it. */
export function formatFault(fault: Fault): string {
  const {kind} = fault;
  const selection = kind === 'delay' || kind === 'error' || kind === 'cut' ? fault : {};
  const flags = [...FLAGS].flatMap(name => {
    const value = (selection as Readonly<Record<string, unknown>>)[name];
    return value === undefined ? [] : [`--${name} ${quote(String(value))}`];
  });
  return [kind, ...formatValue(fault), ...flags].join(' ');
}

/** Puts quotes around a word that has spaces or quotes, as a shell reads them. */
function quote(word: string): string {
  return /[\s'"]/.test(word) ? `'${word.replaceAll("'", `'"'"'`)}'` : word;
}

function formatValue(fault: Fault): readonly string[] {
  switch (fault.kind) {
    case 'delay':
      return [formatMs(fault.delayMs)];
    case 'error':
      return [fault.code];
    case 'clock':
      return [formatMs(fault.offsetSeconds * MS_PER_SECOND)];
    default:
      return [];
  }
}

/** Kinds that may be about some of the requests only. */
const SELECTING = ['delay', 'error', 'cut'] as const satisfies readonly RequestFault['kind'][];

/** Names of the members that are flags. */
const FLAGS: ReadonlySet<string> = new Set(['path', 'plugin']);

interface ValueSpec {
  /** Name of the member. */
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** Description for a problem. */
  readonly wanted: string;
}

/** The value after the kind, of the kinds that have one. */
const VALUES: ReadonlyMap<string, ValueSpec> = new Map([
  ['delay', {name: 'delayMs', read: text => readMs(text), wanted: 'a time from 1ms to 60s, such as 500ms'}],
  [
    'error',
    {
      name: 'code',
      read: text => text,
      wanted: 'the code of a failure over HTTP, such as busy: "crewroom explain" lists them',
    },
  ],
  [
    'clock',
    {
      name: 'offsetSeconds',
      read: text => (readMs(text) ?? Number.NaN) / MS_PER_SECOND,
      wanted: 'a time from 1s to 366d, such as 2h',
    },
  ],
]);

const MS_PER_SECOND = 1000;

/** Units of time, the smallest first. */
const MS_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', MS_PER_SECOND],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Reads a time such as `500ms`, `1.5s`, `15m`, `12h` or `30d`, in milliseconds; undefined if it is not a time. */
function readMs(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = MS_BY_UNIT.get(unit);
  return factor === undefined ? undefined : Number(digits) * factor;
}

/** Formats a time in the largest unit that divides it. */
function formatMs(timeMs: number): string {
  const [unit, factor] = [...MS_BY_UNIT].findLast(([, each]) => timeMs % each === 0) ?? ['ms', 1];
  return `${timeMs / factor}${unit}`;
}
