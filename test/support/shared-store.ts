import {setImmediate} from 'node:timers/promises';
import type {ChangeListener, Store} from '../../src/core/domain/commits/store.ts';
import {AppError} from '../../src/core/failures/app-error.ts';

/**
 * Opens a handle on a store that other handles share, as processes share an engine on the network: every call takes a tick, and the
 * handle knows only the revisions that it has seen. Closing it does not close the store.
 */
export function openHandle(store: Store): Store {
  return new StoreHandle(store);
}

class StoreHandle implements Store {
  readonly #store: Store;
  readonly #stops = new Set<() => void>();
  #revision: Store['revision'];
  #isClosed = false;

  constructor(store: Store) {
    this.#store = store;
    this.#revision = store.revision;
  }

  get id(): Store['id'] {
    return this.#store.id;
  }

  get revision(): Store['revision'] {
    return this.#revision;
  }

  get readOnlyBecause(): Store['readOnlyBecause'] {
    return this.#store.readOnlyBecause;
  }

  readonly commit: Store['commit'] = commit => this.#ask(() => this.#store.commit(commit));
  readonly findShared: Store['findShared'] = () => undefined;
  readonly statistics: Store['statistics'] = async () => undefined;
  readonly get: Store['get'] = key => this.#ask(() => this.#store.get(key));
  readonly list: Store['list'] = range => this.#ask(() => this.#store.list({...range, values: range.values as true}));
  readonly changes: Store['changes'] = (after, options) => this.#ask(() => this.#store.changes(after, options));
  readonly snapshot: Store['snapshot'] = () => this.#ask(() => this.#store.snapshot());
  readonly sweep: Store['sweep'] = () => this.#ask(() => this.#store.sweep());

  onChange(listener: ChangeListener): () => void {
    const stop = this.#store.onChange(() => {
      this.#revision = this.#store.revision;
      listener();
    });
    this.#stops.add(stop);
    return stop;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new AppError({code: 'store-closed'});
    await setImmediate();
    try {
      return await ask();
    } finally {
      this.#revision = this.#store.revision;
    }
  }
}
