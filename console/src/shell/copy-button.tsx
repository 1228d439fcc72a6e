import {useSignal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {setTo} from './set-to.ts';

interface CopyButtonProps {
  readonly text: string;
  /** Name of the button. @default {'Copy'} */
  readonly name?: string;
  /** Names the text, for people who do not see its surroundings. @default {nothing} */
  readonly about?: string;
}

/** Time for which the button says what it has done, in milliseconds: long enough to be read, and over before the next text is copied. */
const SAID_MS = 3000;

/** A button that copies a text, and says that it did. */
export function CopyButton({text, name = 'Copy', about = ''}: CopyButtonProps) {
  const said = useSignal('');
  useEffect(() => {
    if (said.value === '') return;
    const timer = setTimeout(setTo(said, ''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said.value]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      said.value = 'Copied';
    } catch {
      // The browser refuses, or has no clipboard at a host name without TLS. The text can be selected as well.
      said.value = 'Not copied';
    }
  };
  return (
    <>
      <button type="button" class="copy" onClick={copy}>
        {/* Under what it says, the name keeps the width of the button, and its name for assistive technology. */}
        <span data-under={said.value !== ''}>{name}</span>
        {said.value !== '' && (
          <span class="copy-said" aria-hidden="true">
            {said.value}
          </span>
        )}
        {about !== '' && <span class="hidden"> {about}</span>}
      </button>
      <span class="hidden" role="status">
        {said.value}
      </span>
    </>
  );
}
