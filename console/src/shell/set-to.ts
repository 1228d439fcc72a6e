import type {Signal} from '@preact/signals';

/** Returns a function that sets a signal, for buttons and the like. */
export function setTo<T>(target: Signal<T>, value: NoInfer<T>): () => void {
  return () => {
    target.value = value;
  };
}
