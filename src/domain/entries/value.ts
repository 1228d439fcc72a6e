import {AppError} from '../../failures/app-error.ts';
import type {JsonLimits} from '../../json/json-limits.ts';
import {encodeJsonText, type JsonText, parseJsonText} from '../../json/json-text.ts';
import type {Limits} from '../limits.ts';
import {assertJsonInput} from './value-text.ts';

/** The limits of values. */
export type ValueLimits = Pick<Limits, 'valueBytesMax' | 'valueDepthMax'>;

/**
 * Checks the JSON text of a value or patch. Bytes are neither copied nor converted.
 *
 * @param members Members that its objects may have. @default {no limit}
 * @throws {AppError} `invalid-value` if it is neither a string nor bytes; `value-too-large`; `invalid-json`; `value-too-deep`.
 * @throws {TooBroad} If it has more members than `members`.
 */
export function parseValue(
  key: string,
  json: string | Uint8Array,
  {valueBytesMax, valueDepthMax, members}: ValueLimits & Pick<JsonLimits, 'members'>,
): JsonText {
  assertJsonInput(key, json);
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
 * @throws {AppError} `value-too-large`.
 */
export function assertValueSize(value: {readonly length: number}, valueBytesMax: number): void {
  if (value.length > valueBytesMax) throw new AppError({code: 'value-too-large', sizeBytesMax: valueBytesMax});
}
