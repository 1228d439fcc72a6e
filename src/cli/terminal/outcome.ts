import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {writeTimes} from '../../core/protocol/text/times.ts';
import {type CliContext, escapeControls, jsonLine, styleOf} from './context.ts';
import {asCalled} from './stop-request.ts';
import {formatTable} from './table.ts';

/** Result of a command: for programs with `--json`, and otherwise for people. */
export interface CommandOutcome {
  /** A document, those of a list, which get a line each, or JSON text as it is. */
  readonly json: object | string;
  /** For people, on standard output; safe to show. */
  readonly text?: string | Uint8Array | undefined;
  /** For people, on standard error; safe to show. */
  readonly note?: string | undefined;
  /** For people at a terminal, lines on standard error. */
  readonly lines?: readonly string[];
  /** @default {EXIT.ok} */
  readonly exitCode?: ExitCode;
}

/** A command that can print JSON. */
export interface JsonCall {
  readonly context: CliContext;
  readonly flags: {readonly json?: true | undefined};
}

/** Prints the outcome of a command. @returns The exit code. */
export async function printOutcome(outcome: CommandOutcome, {context, flags}: JsonCall): Promise<ExitCode> {
  const {stdout, stderr} = context;
  const {json, text = '', note = '', lines = [], exitCode = EXIT.ok} = outcome;
  if (flags.json) {
    const documents: readonly object[] = Array.isArray(json) ? json : [json];
    await stdout.write(typeof json === 'string' ? json : documents.map(jsonLine).join(''));
    return exitCode;
  }
  if (text !== '') await stdout.write(text);
  if (note !== '') await stderr.write(asCalled(note, context));
  if (stderr.isTerminal) for (const line of lines) await stderr.write(`${escapeControls(asCalled(line, context))}\n`);
  return exitCode;
}

/** Returns the outcome of a command that makes something, with lines that say so in a pipe too. */
export function made(json: object, lines: readonly string[]): CommandOutcome {
  return {json, note: lines.map(line => `${escapeControls(line)}\n`).join('')};
}

/** Returns the outcome of a question to which the user said no. */
export function declined(line: string): CommandOutcome {
  return {json: {declined: true}, note: `${line}\n`, exitCode: EXIT.failure};
}

/** Returns the outcome of a command that deletes, or with `--dry-run` would; verbs such as `Deleted` and `delete`. */
export function removed(
  {dryRun = false}: {readonly dryRun?: boolean | undefined},
  {verbs, what, json}: {readonly verbs: readonly [string, string]; readonly what: string; readonly json: object},
): CommandOutcome {
  const [past, infinitive] = verbs;
  if (dryRun) return {json: {dryRun, ...json}, text: `${escapeControls(`Would ${infinitive} ${what}`)}\n`};
  return {json: {dryRun, ...json}, lines: [`${past} ${what}`]};
}

/** The forms of an element of a list. What they return need not be safe to show. */
interface ListForms<T> {
  /** Returns the document for `--json`. @default {writeTimes} */
  readonly describe?: (each: T) => object;
  /** Titles of the columns. */
  readonly head: readonly string[];
  readonly row: (each: T) => readonly string[];
  /** The sentence if there are no elements, safe to show; it names the next command. */
  readonly empty: string;
  /** Whole lines below the table, safe to show. */
  readonly notes?: string;
  /** Names the next command, on a terminal. */
  readonly next?: string;
}

/** Returns the outcome of a list: a table, in a pipe too. An empty one is a sentence on standard error. */
export function listed<T extends object>(context: CliContext, list: readonly T[], forms: ListForms<T>): CommandOutcome {
  const {describe = writeTimes, head, row, empty, notes = '', next} = forms;
  const json = list.map(describe);
  if (list.length === 0) return {json, note: `${empty}\n`};
  const {stderr} = context;
  return {
    json,
    text:
      formatTable(
        head,
        list.map(each => row(each).map(escapeControls)),
        context,
      ) + notes,
    note: next !== undefined && stderr.isTerminal ? `${styleOf(stderr, context).dim(next)}\n` : '',
  };
}
