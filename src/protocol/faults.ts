import type {FaultList} from '../domain/faults/fault.ts';
import {readDocument} from './text/read-document.ts';

/** Writes faults, as a request, which `readFaults` reads, and as an answer. */
export function formatFaults({faults}: FaultList): string {
  return JSON.stringify({faults});
}

/** Reads what {@link formatFaults} writes, as an answer. Faults of a newer service are passed on. @throws {UnexpectedDocument} */
export function readFaultList(json: string): FaultList {
  return readDocument<{readonly faults: readonly {readonly kind: string}[]}>(json, {
    faults: [{kind: 'string'}],
  }) as FaultList;
}
