import stringWidth from 'fast-string-width';
import {type CliContext, type Style, styleOf} from './context.ts';

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

/** Narrowest lines into which a text is broken, in cells; the terminal breaks the rest. */
const WRAPPED_WIDTH_MIN = 16;

/**
 * Breaks a text between words into lines of a width in cells of the terminal. A longer word, such as an address, stays whole, so that it can be
 * copied. Styles may span lines.
 */
export function wrapWords(text: string, width: number): readonly string[] {
  if (width < WRAPPED_WIDTH_MIN || stringWidth(text) <= width) return [text];
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (stringWidth(longer) <= width) lines[lines.length - 1] = longer;
    else if (word !== '') lines.push(word);
  }
  return lines.map(line => line.trimEnd());
}

/** Breaks a text as {@link wrapWords} does, for lines of a terminal that begin with an indent; all but the first have it. */
export function wrapIndented(text: string, indent: number, {columns}: Pick<Style, 'columns'>): string {
  return wrapWords(text, columns - indent)
    .join(`\n${' '.repeat(indent)}`)
    .replaceAll(NO_BREAK, ' ');
}

/** A space at which {@link wrapIndented} breaks no line. */
const NO_BREAK = '\u00a0';

/** Keeps a part of a text on one line if it fits one, so that it can be copied, such as a flag with its value. */
export function keepWhole(part: string, indent: number, {columns}: Pick<Style, 'columns'>): string {
  return stringWidth(part) <= columns - indent ? part.replaceAll(' ', NO_BREAK) : part;
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
  const lines = others.map((cell, index) => {
    const title = style.dim((head[index + 1] ?? '').padEnd(width));
    return `  ${title}  ${wrapIndented(cell, width + 4, style)}\n`;
  });
  return `${first}\n${lines.join('')}`;
}
