import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {escapeControls, jsonLine} from './escape.ts';
import type {JsonCall} from './report-done.ts';
import {styleOf} from './style.ts';
import {formatTable} from './table.ts';

/** The forms of an element of a list. What they return need not be safe to show. */
export interface ListForms<T> {
  /** Returns the document for `--json`. @default {each => each} */
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

/**
 * Prints a list: JSON with `--json`, or else a table, in a pipe too. An empty one is a sentence on standard error.
 *
 * @returns The exit code of success.
 */
export async function printList<T extends object>(
  {context, flags}: JsonCall,
  list: readonly T[],
  {describe = each => each, head, row, empty, notes = '', next}: ListForms<T>,
): Promise<ExitCode> {
  const {stdout, stderr} = context;
  const rows = (): string[][] => list.map(each => row(each).map(escapeControls));
  if (flags.json) await stdout.write(list.map(each => jsonLine(describe(each))).join(''));
  else if (list.length === 0) await stderr.write(`${empty}\n`);
  else {
    await stdout.write(formatTable(head, rows(), context) + notes);
    if (next !== undefined && stderr.isTerminal) await stderr.write(`${styleOf(stderr, context).dim(next)}\n`);
  }
  return EXIT.ok;
}
