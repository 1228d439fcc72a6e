import type {Sounds} from '../state/sounds.ts';
import {Glyph} from './glyph.tsx';

/** The sound that a plugin asked for, while it plays, and if it does not. */
export function SoundBar({sounds}: {readonly sounds: Sounds}) {
  const status = sounds.status.value;
  return (
    <div role="status">
      {status.kind === 'playing' && (
        <div class="banner calm">
          <Glyph name="sound" />
          <p>A plugin plays a sound.</p>
          <button type="button" onClick={() => sounds.stop()}>
            Stop
          </button>
        </div>
      )}
      {status.kind === 'blocked' && (
        <div class="banner">
          <Glyph name="sound" />
          <p>
            <strong>A sound is waiting.</strong> Browsers play sounds only after a click.
          </p>
          <button type="button" onClick={() => sounds.resume()}>
            Play
          </button>
          <button type="button" onClick={() => sounds.stop()}>
            Dismiss
          </button>
        </div>
      )}
      {status.kind === 'failed' && (
        <div class="banner">
          <Glyph name="sound" />
          <p>A plugin asked for a sound that does not play: {status.problem}.</p>
          <button type="button" onClick={() => sounds.stop()}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}
