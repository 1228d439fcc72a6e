import {type Signal, signal} from '@preact/signals';
import {type CallFailure, callService} from '../service/call-service.ts';
import type {Fault, FaultList} from '../service/documents.ts';
import {type Loaded, toCallFailure} from '../state/loaded.ts';

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

  /** Ends one fault: of several equal ones, the first. */
  remove(fault: Fault): Promise<void> {
    const text = JSON.stringify(fault);
    return this.#change(async () => {
      // Another program may have switched faults since they were shown.
      const {faults} = await callService<FaultList>(PATH);
      const at = faults.findIndex(each => JSON.stringify(each) === text);
      const others = faults.filter((_, index) => index !== at);
      await callService(PATH, {method: 'PUT', body: {faults: others}});
    });
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
    try {
      await send();
    } catch (error) {
      this.failure.value = toCallFailure(error);
    } finally {
      await this.#shown.reload();
      this.isSending.value = false;
    }
  }
}
