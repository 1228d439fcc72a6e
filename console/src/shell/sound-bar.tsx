import type {Sounds} from '../state/sounds.ts';
import {Glyph} from './glyph.tsx';

/** The sound that a plugin asked for, while it plays, and if it does not. */
export function SoundBar({sounds}: {readonly sounds: Sounds}) {
  const status = sounds.status.value;
  return (
    <div role="status">
      {status.kind !== 'silent' && (
        <div class={`banner ${status.kind === 'playing' ? 'calm' : ''}`}>
          <Glyph name="sound" />
          <p>
            {status.kind === 'playing' && 'A plugin plays a sound.'}
            {status.kind === 'failed' && `A plugin asked for a sound that does not play: ${status.problem}.`}
            {status.kind === 'blocked' && <strong>A sound is waiting.</strong>}
            {status.kind === 'blocked' && ' Browsers play sounds only after a click.'}
          </p>
          {status.kind === 'blocked' && (
            <button type="button" onClick={() => sounds.resume()}>
              Play
            </button>
          )}
          <button type="button" onClick={() => sounds.stop()}>
            {status.kind === 'playing' ? 'Stop' : 'Dismiss'}
          </button>
        </div>
      )}
    </div>
  );
}
