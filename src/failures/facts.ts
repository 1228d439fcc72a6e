import {EXIT, type ExitCode} from './exit-codes.ts';
import type {Failure, FailureCode} from './failure.ts';
import {findRow, ROWS} from './rows/rows.ts';
import type {FailureStatus} from './rows/status-text.ts';

/** Returns the HTTP status of failures of a code; undefined if they never cross HTTP. */
export function findStatus(code: string): FailureStatus | undefined {
  return findRow(code)?.status;
}

/** Returns the HTTP status of a failure; that of `internal` for a failure that never crosses HTTP. */
export function statusOf(failure: Failure): FailureStatus {
  return findStatus(failure.code) ?? 500;
}

/** Returns the exit code of a command that fails with a failure. */
export function exitCodeOf(failure: Failure): ExitCode {
  if (failure.code === 'unreadable-input' && failure.missing) return EXIT.notFound;
  return EXIT[findRow(failure.code)?.exit ?? 'failure'];
}

/** Returns whether failures of this code are part of normal operation, so that people need not look at each of them. */
export function isExpectedFailure(code: string): boolean {
  return findRow(code)?.expected === true;
}

/** Returns whether a text is the code of a failure that a fault can cause: one with an HTTP status. */
export function isFaultCode(code: string): code is FailureCode {
  return findStatus(code) !== undefined;
}

/** All codes of failures that faults can cause. */
export function listFaultCodes(): readonly FailureCode[] {
  return Object.keys(ROWS).filter(isFaultCode);
}
