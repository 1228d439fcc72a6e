import {effect, type ReadonlySignal, untracked} from '@preact/signals';

/**
 * Follows something while a condition holds, and again each time that it holds, until the signal is aborted.
 *
 * @param follow Follows until its signal is aborted. It may end before, or reject: then it is called the next time.
 */
export function followWhile(
  condition: ReadonlySignal<boolean>,
  ended: AbortSignal,
  follow: (signal: AbortSignal) => Promise<void>,
): void {
  let left = new AbortController();
  // One after the other: what follows continues where the last one has ended.
  let following = Promise.resolve();
  const stop = effect(() => {
    const holds = condition.value;
    // Listeners of the signal run at once. What they read must not start this effect again.
    untracked(() => left.abort());
    if (!holds) return;
    left = new AbortController();
    const signal = AbortSignal.any([ended, left.signal]);
    following = following
      .then(() => (signal.aborted ? undefined : follow(signal)))
      .catch(error => console.error('What this page follows has failed.', error));
  });
  ended.addEventListener('abort', stop);
}
