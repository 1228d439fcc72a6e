import {useSignal} from '@preact/signals';

interface CopyButtonProps {
  readonly text: string;
  /** Name of the button. @default {'Copy'} */
  readonly name?: string;
  /** Names the text, for people who do not see its surroundings. @default {nothing} */
  readonly about?: string;
}

/** A button that copies a text. */
export function CopyButton({text, name = 'Copy', about = ''}: CopyButtonProps) {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      isCopied.value = true;
    } catch {
      // The browser refuses, or has no clipboard at a host name without TLS. The text can be selected as well.
      isCopied.value = false;
    }
  };
  return (
    <>
      <span class="copied" role="status">
        {isCopied.value && 'Copied'}
      </span>
      <button type="button" onClick={copy}>
        {name}
        {about !== '' && <span class="hidden"> {about}</span>}
      </button>
    </>
  );
}
