import type {Fault, FaultList} from '../domain/fault.ts';
import {readFaultValues} from '../domain/fault-check.ts';
import {readJsonDocument} from '../domain/json-document.ts';
import {AppError} from '../failures/app-error.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';
import {readDocument} from './text/read-document.ts';

/** Largest body that switches faults, in bytes: the largest number of faults with the longest paths. */
export const FAULTS_BYTES_MAX = 256 * 1024;

/** Writes faults, as a request and as an answer. */
export function formatFaults({faults}: FaultList): string {
  return JSON.stringify({faults});
}

/**
 * Reads what {@link formatFaults} writes, as the body of a request.
 *
 * @throws {AppError} `invalid-faults` with the path of each problem.
 */
export function readFaults(body: Uint8Array): readonly Fault[] {
  const document = readJsonDocument(body);
  if ('problem' in document) throw invalid([document.problem]);
  const {value} = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid([{path: '$', problem: 'has to be an object with the member "faults"'}]);
  const {faults, ...others} = value as Readonly<Record<string, unknown>>;
  const reading = readFaultValues(faults, '$.faults');
  const problems = [
    ...('problems' in reading ? reading.problems : []),
    ...Object.keys(others)
      .slice(0, 1)
      .map(name => ({path: '$', problem: `has the unknown member ${JSON.stringify(name.slice(0, 64))}`})),
  ];
  if ('problems' in reading || problems.length > 0) throw invalid(problems);
  return reading.faults;
}

function invalid(problems: readonly DocumentProblem[]): AppError {
  return new AppError({code: 'invalid-faults', problems});
}

/** Reads what {@link formatFaults} writes, as an answer. Faults of a newer service are passed on. @throws {UnexpectedDocument} */
export function readFaultList(json: string): FaultList {
  return readDocument<{readonly faults: readonly {readonly kind: string}[]}>(json, {
    faults: [{kind: 'string'}],
  }) as FaultList;
}
