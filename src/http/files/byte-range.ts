import {headerValues} from '../../protocol/headers/raw-headers.ts';

/** Part of a file, both ends included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads the range that a request asks for (RFC 9110 section 14.2).
 *
 * @param tag Entity tag of the current representation. The range is ignored if `If-Range` names another one.
 * @returns Undefined for the whole representation, also if the request has several ranges; `unsatisfiable` if the range begins
 * beyond its end.
 */
export function readRange(
  rawHeaders: readonly string[],
  sizeBytes: number,
  tag: string,
): ByteRange | 'unsatisfiable' | undefined {
  const [range, second] = headerValues(rawHeaders, 'range');
  if (range === undefined || second !== undefined) return undefined;
  if (headerValues(rawHeaders, 'if-range').some(value => value !== tag)) return undefined;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  return first === '' ? suffix(Number(last), sizeBytes) : part(Number(first), last, sizeBytes);
}

function suffix(lengthBytes: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (lengthBytes === 0 || sizeBytes === 0) return 'unsatisfiable';
  return {first: Math.max(0, sizeBytes - lengthBytes), last: sizeBytes - 1};
}

function part(first: number, last: string, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  if (last !== '' && Number(last) < first) return undefined;
  if (first >= sizeBytes) return 'unsatisfiable';
  return {first, last: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)};
}
