import {Breakable} from './breakable.tsx';
import {CopyButton} from './copy-button.tsx';

/** A command to copy; if no line is right, a note in its place, which may name another way. */
export function Command({text, instead = ''}: {readonly text: string | undefined; readonly instead?: string}) {
  return text === undefined ? (
    <p class="note">There is no command to copy: a shell of your system would read a part of it otherwise. {instead}</p>
  ) : (
    <div class="command">
      <code>
        <Breakable text={text} />
      </code>
      <CopyButton text={text} about={text} />
    </div>
  );
}
