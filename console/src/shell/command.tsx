import {Breakable} from './breakable.tsx';
import {CopyButton} from './copy-button.tsx';

/** A command to copy. */
export function Command({text}: {readonly text: string}) {
  return (
    <div class="command">
      <code>
        <Breakable text={text} />
      </code>
      <CopyButton text={text} about={text} />
    </div>
  );
}
