import type {FailureCode} from './failure.ts';

/** Failures of normal operation. An installing client asks for its plugin until the service has noticed it. */
const EXPECTED_CODES: ReadonlySet<string> = new Set<FailureCode>([
  'no-entry',
  'no-identity',
  'revision-conflict',
  'no-plugin',
]);

/** Returns whether failures of this code are part of normal operation, so that people need not look at each of them. */
export function isExpectedFailure(code: string): boolean {
  return EXPECTED_CODES.has(code);
}
