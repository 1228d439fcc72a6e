import type {CallParts} from '../service/call-service.ts';
import type {Fault} from '../service/documents.ts';
import {Changes} from '../state/changes.ts';

/** Path of the faults that are on. */
export const FAULTS_PATH = '/api/faults';

/** Returns the call that switches another fault on. */
export function additionOf(fault: Fault): CallParts {
  return {method: 'POST', body: {faults: [fault]}};
}

/** Switches faults. Each returns false if that failed. */
export class FaultsState extends Changes {
  /** Switches another fault on. */
  add(fault: Fault): Promise<boolean> {
    return this.send(FAULTS_PATH, additionOf(fault));
  }

  /** Ends all faults of a kind. */
  removeKind(kind: string): Promise<boolean> {
    return this.send(`${FAULTS_PATH}?kind=${encodeURIComponent(kind)}`, {method: 'DELETE'});
  }

  /** Ends all faults. */
  clear(): Promise<boolean> {
    return this.send(FAULTS_PATH, {method: 'DELETE'});
  }
}
