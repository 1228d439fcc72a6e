import type {Operation, PatchLimits} from '../../domain/commits/commit.ts';
import {AppError} from '../../failures/app-error.ts';
import {STORED_VALUE_BYTES_MAX} from './engine/staging.ts';

/** @throws {AppError} `value-too-large` if a value is too large for a request to an engine. */
export function assertFits(operations: readonly Operation[]): void {
  for (const operation of operations) {
    if (operation.kind === 'put' && operation.json.length > STORED_VALUE_BYTES_MAX)
      throw new AppError({code: 'value-too-large', sizeBytesMax: STORED_VALUE_BYTES_MAX});
  }
}

const LIMITS_OF_REQUESTS: PatchLimits = {valueBytesMax: STORED_VALUE_BYTES_MAX, valueDepthMax: Infinity};

/** Returns limits for the results of patches that are within that of a request. */
export function limitsWithin(limits: PatchLimits | undefined): PatchLimits {
  if (limits === undefined) return LIMITS_OF_REQUESTS;
  return {...limits, valueBytesMax: Math.min(limits.valueBytesMax, STORED_VALUE_BYTES_MAX)};
}
