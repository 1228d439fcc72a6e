import {useState} from 'preact/hooks';

/** A command to copy. */
export function Command({text}: {readonly text: string}) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // The browser refuses, or has no clipboard at a host name without TLS. The text can be selected as well.
      setCopied(false);
    }
  };
  return (
    <div class="command">
      <code>{text}</code>
      <span role="status">{copied && 'Copied'}</span>
      <button type="button" onClick={copy}>
        Copy<span class="hidden"> {text}</span>
      </button>
    </div>
  );
}
