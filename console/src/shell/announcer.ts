import {type Signal, signal} from '@preact/signals';

/** The text that screen readers read out once, when the user has stopped. The same text again is another object. */
export const announced: Signal<{readonly text: string; readonly place: number}> = signal({text: '', place: 0});

/** Has a text read out, also one that was read out before. An empty one takes the last text away. */
export function announce(text: string): void {
  announced.value = {text, place: announced.peek().place + 1};
}
