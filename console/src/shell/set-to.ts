import type {Signal} from '@preact/signals';

/** Returns a function that sets a signal, for buttons and the like. */
export function setTo<T>(target: Signal<T>, value: NoInfer<T>): () => void {
  return () => {
    target.value = value;
  };
}

/** Returns a listener that takes the text of a field. */
export function takeText(
  target: Signal<string>,
): (event: {readonly currentTarget: HTMLInputElement | HTMLTextAreaElement}) => void {
  return ({currentTarget}) => {
    target.value = currentTarget.value;
  };
}
