import {escapeControls} from './escape.ts';
import type {Style} from './style.ts';

/** A table for people: columns as wide as their widest cell, without lines. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[], style: Style): string {
  const cells = rows.map(row => row.map(escapeControls));
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map(row => (row[column] ?? '').length)));
  const align = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [style.dim(align(head)), ...cells.map(align)].map(line => `${line}\n`).join('');
}

/** A size for people. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} B`;
  const power = Math.min(Math.floor(Math.log2(sizeBytes) / 10), UNITS.length);
  return `${(sizeBytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];
