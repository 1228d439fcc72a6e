import type {FaultList} from '../domain/faults/fault.ts';
import {readDocument} from './text/read-document.ts';

/** Reads faults from an answer. Faults of a newer service are passed on. @throws {UnexpectedDocument} */
export function readFaultList(json: string): FaultList {
  return readDocument<{readonly faults: readonly {readonly kind: string}[]}>(json, {
    faults: [{kind: 'string'}],
  }) as FaultList;
}
