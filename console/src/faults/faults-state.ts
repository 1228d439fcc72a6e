import {type Signal, signal} from '@preact/signals';
import {type CallFailure, callService} from '../service/call-service.ts';
import type {Fault, FaultList} from '../service/documents.ts';
import {keepFailure, type Loaded} from '../state/loaded.ts';

const PATH = '/api/faults';

/** Switches faults. */
export class FaultsState {
  /** Why the last change failed. */
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  readonly isSending: Signal<boolean> = signal(false);
  readonly #shown: Loaded<FaultList>;

  constructor(shown: Loaded<FaultList>) {
    this.#shown = shown;
  }

  /** Switches another fault on. */
  add(fault: Fault): Promise<void> {
    return this.#change(() => callService(PATH, {method: 'POST', body: {faults: [fault]}}));
  }

  /** Ends all faults of a kind. */
  removeKind(kind: string): Promise<void> {
    return this.#change(() => callService(`${PATH}?kind=${encodeURIComponent(kind)}`, {method: 'DELETE'}));
  }

  /** Ends all faults. */
  clear(): Promise<void> {
    return this.#change(() => callService(PATH, {method: 'DELETE'}));
  }

  async #change(send: () => Promise<unknown>): Promise<void> {
    this.isSending.value = true;
    this.failure.value = undefined;
    await keepFailure(this.failure, send);
    await this.#shown.reload();
    this.isSending.value = false;
  }
}
