import {parseDocument} from '../text/read-document.ts';
import {EXPORT_FORMAT} from './export-lines.ts';

/**
 * Reads the revision of an export from its beginning, without reading its entries.
 *
 * @param start Text that has at least the first line.
 * @returns Undefined if it is not the beginning of an export.
 */
export function readExportStart(start: string): number | undefined {
  const revision = readHeader(start)?.revision;
  return typeof revision === 'string' && /^\d{1,15}$/.test(revision) ? Number(revision) : undefined;
}

/** Reads the prefix of the keys of an export from its beginning, as {@link readExportStart} does. */
export function readExportPrefix(start: string): string | undefined {
  const prefix = readHeader(start)?.prefix;
  return typeof prefix === 'string' ? prefix : undefined;
}

function readHeader(start: string): Partial<Header> | undefined {
  const header = tryParsing<Header>(start.slice(0, start.indexOf('\n') + 1));
  return header?.format === EXPORT_FORMAT ? header : undefined;
}

/**
 * Reads the number of entries of an export from its end.
 *
 * @param end Text that has at least the last line.
 * @returns Undefined if the export is truncated.
 */
export function readExportEnd(end: string): number | undefined {
  const line = end.slice(end.lastIndexOf('\n', end.length - 2) + 1);
  const {end: ended, entries} = (line.endsWith('\n') && tryParsing<Trailer>(line)) || {};
  return ended === true && typeof entries === 'number' ? entries : undefined;
}

function tryParsing<T>(line: string): Partial<T> | undefined {
  try {
    return parseDocument<Partial<T> | null>(line) ?? undefined;
  } catch {
    return undefined;
  }
}

interface Header {
  readonly format: unknown;
  readonly revision: unknown;
  readonly prefix: unknown;
}

interface Trailer {
  readonly end: unknown;
  readonly entries: unknown;
}
