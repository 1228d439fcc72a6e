import {effect, type Signal, signal} from '@preact/signals';
import {CallFailure, callService, requestService} from '../service/call-service.ts';
import type {PilotList} from '../service/documents.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {keepFailure, Loaded} from '../state/loaded.ts';

/** The identity as it is sent, and the sample pilots. */
export class IdentityState {
  /** The text of the document, byte for byte; `null` if no pilot is signed in. */
  readonly text: Loaded<string | null>;
  readonly pilots: Loaded<PilotList>;
  /** Why the last choice of a pilot failed. */
  readonly choiceFailure: Signal<CallFailure | undefined> = signal(undefined);

  constructor() {
    this.text = new Loaded(loadText);
    this.pilots = new Loaded(() => callService<PilotList>('/api/pilots'));
  }

  /** Loads both now, and again whenever the identity changes. @returns A function that stops it. */
  follow({identity, connection}: ConsoleState): () => void {
    return effect(() => {
      // Read, so that each new document is followed.
      const changed = [identity.value.value];
      if (connection.status.value !== 'connected' || changed.length === 0) return;
      void this.text.reload();
      void this.pilots.reload();
    });
  }

  /** Serves another sample pilot. */
  async use(name: string): Promise<void> {
    await keepFailure(this.choiceFailure, async () => {
      this.pilots.value.value = await callService<PilotList>('/api/pilots/current', {method: 'PUT', body: {name}});
    });
  }
}

/** Reads the text of the identity, as the owner if this page is the owner's. */
async function loadText(): Promise<string | null> {
  try {
    const response = await requestService('/api/identity');
    return await response.text();
  } catch (error) {
    if (error instanceof CallFailure && error.code === 'no-identity') return null;
    throw error;
  }
}
