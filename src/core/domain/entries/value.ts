import {AppError, messageOf} from '../../failures/app-error.ts';
import {FailureError} from '../../failures/failure-error.ts';
import type {JsonLimits} from '../../json/json-limits.ts';
import {encodeJsonText, type JsonText, parseJsonText} from '../../json/json-text.ts';
import type {Limits} from '../limits.ts';

/** The limits of values. */
export type ValueLimits = Pick<Limits, 'valueBytesMax' | 'valueDepthMax'>;

/**
 * Checks the JSON text of a value or patch. Bytes are such a text already, and neither copied nor converted.
 *
 * @param members Members that its objects may have. @default {no limit}
 * @throws {AppError} `invalid-value` if it has no JSON text; `too-large`; `invalid-json`; `value-too-deep`.
 * @throws {TooBroad} If it has more members than `members`.
 */
export function parseValue(
  key: string,
  given: unknown,
  {valueBytesMax, valueDepthMax, members}: ValueLimits & Pick<JsonLimits, 'members'>,
): JsonText {
  const json = jsonTextOf(key, given);
  // A string has at least as many bytes as UTF-16 units: a huge one is refused before it is encoded.
  assertValueSize(json, valueBytesMax);
  const limits = {depthMax: valueDepthMax, ...(members && {members})};
  if (typeof json !== 'string') return parseJsonText(json, limits);
  const value = encodeJsonText(json, limits);
  assertValueSize(value, valueBytesMax);
  return value;
}

/**
 * Refuses a value that is larger than the limit.
 *
 * @throws {AppError} `too-large`.
 */
export function assertValueSize(value: {readonly length: number}, valueBytesMax: number): void {
  if (value.length > valueBytesMax) throw new AppError({code: 'too-large', what: 'value', max: valueBytesMax});
}

/**
 * Returns the JSON text of a value. Bytes are one already, and are returned as they are.
 *
 * @throws {AppError} `invalid-value` if it has none.
 */
export function jsonTextOf(key: string, value: unknown): string | Uint8Array {
  if (value instanceof Uint8Array) return value;
  let problem = 'has no JSON text';
  try {
    // Undefined for functions, symbols and undefined, contrary to the declared type.
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    problem += ` (${messageOf(error)})`;
  }
  throw new FailureError({code: 'invalid-value', key, problems: [{path: '$', problem}]});
}
