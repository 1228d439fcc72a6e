import stringWidth from 'fast-string-width';
import type {CliContext} from './context.ts';
import {type Style, styleOf} from './style.ts';

/**
 * Formats a table for people, for standard output. Each column is as wide as its widest cell. If the table is wider than the terminal, each row becomes
 * its first cell, with the other cells and their titles below it.
 *
 * @param options `continued` leaves the titles out, since an earlier table has them.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  context: Pick<CliContext, 'stdout' | 'environment'>,
  {continued = false}: {readonly continued?: boolean} = {},
): string {
  const style = styleOf(context.stdout, context);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map(row => stringWidth(row[column] ?? ''))));
  const align = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : padEnd(cell, widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  const lines = [head, ...rows].map(align);
  if (lines.some(line => stringWidth(line) > context.stdout.columns))
    return rows.map(row => stack(head, row, style)).join('');
  const [title = '', ...others] = lines;
  return [...(continued ? [] : [style.dim(title)]), ...others].map(line => `${line}\n`).join('');
}

/** Pads a text with spaces to a width in cells of the terminal; East Asian characters take two cells. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Cuts a text to a width in cells of the terminal; the last cell is then `…`. */
export function cutToWidth(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = '';
  let left = width - 1;
  for (const character of text) {
    left -= stringWidth(character);
    if (left < 0) break;
    shown += character;
  }
  return `${shown}…`;
}

function stack(head: readonly string[], [first = '', ...others]: readonly string[], style: Style): string {
  const width = Math.max(...head.slice(1).map(title => title.length));
  const lines = others.map((cell, index) => `  ${style.dim((head[index + 1] ?? '').padEnd(width))}  ${cell}\n`);
  return `${first}\n${lines.join('')}`;
}
