import stringWidth from 'fast-string-width';
import type {Style} from './style.ts';

/** How a table is written. */
export interface TableStyle {
  readonly style: Style;
  /** Of the terminal, in cells. @default {as many as one likes} */
  readonly columns?: number;
  /** Whether the titles stand above already. @default {false} */
  readonly continued?: boolean;
}

/**
 * A table for people: columns as wide as their widest cell, without lines. Where it is wider than the terminal, which would
 * break words, each row is its first cell, and below it the others with their titles.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  {style, columns = Infinity, continued = false}: TableStyle,
): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map(row => stringWidth(row[column] ?? ''))));
  const align = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : padEnd(cell, widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  const lines = [head, ...rows].map(align);
  if (lines.some(line => stringWidth(line) > columns)) return rows.map(row => stack(head, row, style)).join('');
  const [title = '', ...others] = lines;
  return [...(continued ? [] : [style.dim(title)]), ...others].map(line => `${line}\n`).join('');
}

/** Fills a text with spaces up to a width in cells of the terminal; East Asian characters take two. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

function stack(head: readonly string[], [first = '', ...others]: readonly string[], style: Style): string {
  const width = Math.max(...head.slice(1).map(title => title.length));
  const lines = others.map((cell, index) => `  ${style.dim((head[index + 1] ?? '').padEnd(width))}  ${cell}\n`);
  return `${first}\n${lines.join('')}`;
}
