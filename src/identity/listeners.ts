import type {Log} from '../domain/log.ts';

/** Whom to tell of changes. */
export interface Listeners {
  /** @returns What ends that. */
  add(listener: () => void): () => void;
  /** Calls each; one that throws is logged, and the others are called all the same. */
  call(): void;
  clear(): void;
}

/** Makes a list of nobody. */
export function createListeners(log: Log): Listeners {
  const listeners = new Set<() => void>();
  return {
    add: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    call: () => {
      for (const listener of listeners) {
        try {
          listener();
        } catch (error) {
          log.error('a listener for identity changes failed', {error});
        }
      }
    },
    clear: () => listeners.clear(),
  };
}
