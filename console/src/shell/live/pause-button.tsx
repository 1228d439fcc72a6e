import {useEffect} from 'preact/hooks';
import {announce} from '../announcer.ts';
import type {LiveLines} from './live-lines.ts';

/** Time from the first line that waits until their number is read out, in milliseconds: many may follow it at once. */
const SAY_MS = 1000;

/** Lets new lines wait, with their number, or shows them. */
export function PauseButton<T>({lines}: {readonly lines: LiveLines<T>}) {
  const isHeld = lines.isHeld.value;
  const waiting = lines.waiting.value;
  const isWaiting = isHeld && waiting > 0;
  useEffect(() => {
    if (!isWaiting) return;
    // Once, not at each further line.
    const timer = setTimeout(() => announce(`${lines.waiting.peek().toLocaleString('en')} waiting`), SAY_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, lines]);
  const toggle = (): void => {
    if (isHeld) lines.resume();
    else lines.isPaused.value = true;
  };
  return (
    <button type="button" class="pause-button" onClick={toggle}>
      {isHeld ? 'Continue' : 'Pause'}
      {isWaiting && <span class="count">{waiting.toLocaleString('en')} waiting</span>}
    </button>
  );
}
