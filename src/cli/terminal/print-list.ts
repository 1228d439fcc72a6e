import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {escapeControls, jsonLine} from './escape.ts';
import type {JsonCall} from './report-done.ts';
import {formatTable} from './table.ts';

/** The forms of an element of a list. What they return need not be safe to show. */
export interface ListForms<T> {
  /** Returns the document for `--json`. @default {each => each} */
  readonly describe?: (each: T) => object;
  /** Returns the lines for other programs. */
  readonly lines: (each: T) => readonly string[];
  /** Titles of the columns for people. */
  readonly head: readonly string[];
  readonly row: (each: T) => readonly string[];
}

/** Prints a list: JSON with `--json`, a table on a terminal, and otherwise lines for programs. @returns The exit code of success. */
export async function printList<T extends object>(
  {context, flags}: JsonCall,
  list: readonly T[],
  {describe = each => each, lines, head, row}: ListForms<T>,
): Promise<ExitCode> {
  const {stdout} = context;
  const rows = (): string[][] => list.map(each => row(each).map(escapeControls));
  if (flags.json) await stdout.write(list.map(each => jsonLine(describe(each))).join(''));
  else if (stdout.isTerminal) await stdout.write(formatTable(head, rows(), context));
  else
    await stdout.write(
      list
        .flatMap(lines)
        .map(line => `${escapeControls(line)}\n`)
        .join(''),
    );
  return EXIT.ok;
}
