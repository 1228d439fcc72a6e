import type {ShapeOf} from '../../domain/shape.ts';
import {readDocument, UnexpectedDocument} from '../text/read-document.ts';
import {EXPORT_FORMAT} from './export-lines.ts';

/**
 * Reads the revision of an export from its beginning, without reading its entries.
 *
 * @param start Text that has at least the first line.
 * @returns Undefined if it is not the beginning of an export.
 */
export function readExportStart(start: string): number | undefined {
  const header = readHeader(start);
  return header?.revision === undefined ? undefined : Number(header.revision);
}

/** Reads the prefix of the keys of an export from its beginning, as {@link readExportStart} does. */
export function readExportPrefix(start: string): string | undefined {
  return readHeader(start)?.prefix;
}

function readHeader(start: string): Header | undefined {
  const header = tryReading<Header>(start.slice(0, start.indexOf('\n') + 1), HEADER);
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
  return line.endsWith('\n') ? tryReading<Trailer>(line, TRAILER)?.entries : undefined;
}

function tryReading<T>(line: string, shape: ShapeOf<T>): T | undefined {
  try {
    return readDocument<T>(line, shape);
  } catch (error) {
    if (error instanceof UnexpectedDocument) return undefined;
    throw error;
  }
}

interface Header {
  readonly format: string;
  readonly revision?: string;
  readonly prefix?: string;
}

interface Trailer {
  readonly end: boolean;
  readonly entries: number;
}

const HEADER: ShapeOf<Header> = {format: 'string', 'revision?': 'digits', 'prefix?': 'string'};
const TRAILER: ShapeOf<Trailer> = {end: 'boolean', entries: 'number'};
