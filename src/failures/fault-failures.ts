import type {Failure, FailureCode} from './failure.ts';
import {type FaultMark, withFault} from './fault-mark.ts';
import {findRow} from './rows/rows.ts';

/** The request that a fault makes fail, for the members of its failure. */
export interface FailingRequest {
  readonly method: string;
  /** Path without query, as it was sent. */
  readonly path: string;
  /** Key in the path; the path if it has none. */
  readonly key: string;
}

/** Creates the failure of a code, with members that such a failure has. */
export function createFaultFailure(code: FailureCode, {method, path, key}: FailingRequest): Failure & FaultMark {
  const problem = 'a fault is switched on';
  const known: Readonly<Record<string, unknown>> = {key, path, method, problem, problems: [{path: '$', problem}]};
  const members = Object.entries(findRow(code)?.example ?? {}).map(([name, value]) => [name, known[name] ?? value]);
  // The example of a row has the members of its code.
  return withFault({code, ...Object.fromEntries(members)} as Failure, 'error');
}
