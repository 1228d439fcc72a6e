import type {LiveLines} from './live-lines.ts';

/** Lets new lines wait, with their number, or shows them. */
export function PauseButton<T>({lines}: {readonly lines: LiveLines<T>}) {
  const isHeld = lines.isHeld.value;
  const waiting = lines.waiting.value;
  const toggle = (): void => {
    if (isHeld) lines.resume();
    else lines.isPaused.value = true;
  };
  return (
    <>
      <button type="button" class="pause-button" onClick={toggle}>
        {isHeld ? 'Continue' : 'Pause'}
        {isHeld && waiting > 0 && <span class="count">{waiting.toLocaleString('en')} waiting</span>}
      </button>
      {/* Once, not at each further line. */}
      <span class="hidden" role="status">
        {isHeld && waiting > 0 && 'New lines are waiting'}
      </span>
    </>
  );
}
