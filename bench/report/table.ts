import type {Spread} from '../statistics.ts';

/** Formats rows as a table of Markdown that is aligned in a terminal too; the first row has the titles. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const [titles = [], ...others] = rows;
  const widths = titles.map((_, column) => Math.max(3, ...rows.map(row => row[column]?.length ?? 0)));
  const format = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(row[column] ?? '', width, column)).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [format(titles), `| ${rule.join(' | ')} |`, ...others.map(format)].join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

/** Formats a figure with its quartiles. */
export function formatSpread(
  {median, lowerQuartile, upperQuartile}: Spread,
  format: (figure: number) => string,
): string {
  if (Number.isNaN(median)) return '–';
  return `${format(median)} (${format(lowerQuartile)}–${format(upperQuartile)})`;
}

/** Formats a ratio, with two decimals. */
export function formatRatio(ratio: number): string {
  return Number.isNaN(ratio) ? '–' : ratio.toFixed(2);
}

/** Formats a figure with its significant digits. */
export function formatFigure(figure: number): string {
  if (Number.isNaN(figure)) return '–';
  if (figure >= 100) return Math.round(figure).toLocaleString('en-US');
  return figure.toFixed(figure >= 10 ? 1 : 2);
}
