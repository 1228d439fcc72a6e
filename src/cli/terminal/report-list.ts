import {jsonLine} from './escape.ts';
import type {JsonCall} from './report-done.ts';
import {styleOf} from './style.ts';
import {formatTable} from './table.ts';

/** A list, for people and for programs. */
export interface ReportedList<T> {
  /** The titles of the columns. */
  readonly head: readonly string[];
  readonly row: (item: T) => readonly string[];
  /** Returns the line of an item with `--json`. */
  readonly document: (item: T) => object;
  /** The sentence if there are no items; it names the next command. */
  readonly empty: string;
  /** Whole lines below the table. */
  readonly notes?: string;
  /** Names the next command, on a terminal. */
  readonly next?: string;
}

/** Prints a list: with `--json` a document on each line, or else a table, in a pipe too. An empty one is a sentence on standard error. */
export async function reportList<T>(
  {context, flags}: JsonCall,
  items: readonly T[],
  {head, row, document, empty, notes = '', next}: ReportedList<T>,
): Promise<void> {
  const {stdout, stderr} = context;
  if (flags.json) return stdout.write(items.map(item => jsonLine(document(item))).join(''));
  if (items.length === 0) return stderr.write(`${empty}\n`);
  await stdout.write(formatTable(head, items.map(row), context) + notes);
  if (next !== undefined && stderr.isTerminal) await stderr.write(`${styleOf(stderr, context).dim(next)}\n`);
}
