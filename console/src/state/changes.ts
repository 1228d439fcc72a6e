import {type Signal, signal} from '@preact/signals';
import {type CallFailure, type CallParts, callService} from '../service/call-service.ts';
import {keepFailure, type Loaded} from './loaded.ts';

/** Changes of a document of the service that the user makes. */
export class Changes {
  /** Why the last change failed. */
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  readonly isSending: Signal<boolean> = signal(false);
  readonly #document: Pick<Loaded<unknown>, 'reload'>;

  /** @param document Loaded again after each change. */
  constructor(document: Pick<Loaded<unknown>, 'reload'>) {
    this.#document = document;
  }

  /** Sends a change. @returns False if it failed. */
  async send(path: string, parts: CallParts): Promise<boolean> {
    this.isSending.value = true;
    this.failure.value = undefined;
    const isDone = await keepFailure(this.failure, () => callService(path, parts));
    await this.#document.reload();
    this.isSending.value = false;
    return isDone;
  }
}
