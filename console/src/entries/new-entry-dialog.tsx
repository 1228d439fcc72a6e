import {useSignal} from '@preact/signals';
import {useId} from 'preact/hooks';
import {Dialog} from '../shell/dialog.tsx';

/** Characters that no key has. */
const CONTROL_CHARACTER = /\p{Cc}/u;

interface NewEntryDialogProps {
  /** Prefix of the list, with which the key begins. */
  readonly prefix: string;
  readonly onClose: () => void;
  readonly onCreate: (key: string) => void;
}

/** Asks for the key of a new entry. Its value is typed where values are edited. */
export function NewEntryDialog({prefix, onClose, onCreate}: NewEntryDialogProps) {
  const key = useSignal(prefix);
  const id = useId();
  const problem = findProblem(key.value);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (problem === undefined) onCreate(key.value);
  };
  return (
    <Dialog title="New entry" onClose={onClose}>
      <form class="new-entry" onSubmit={submit}>
        <label for={id}>Key</label>
        <input
          id={id}
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={key.value}
          placeholder="com.example.hello/settings"
          aria-describedby={`${id}-about`}
          onInput={event => {
            key.value = event.currentTarget.value;
          }}
        />
        <p id={`${id}-about`} class={problem === undefined || key.value === '' ? 'quiet' : 'problem'}>
          {key.value === '' ? 'Begin it with the id of your plugin, to keep it apart from others.' : problem}
        </p>
        <div class="dialog-foot">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={problem !== undefined}>
            Type its value
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns why a text is no key, as the service would. */
function findProblem(key: string): string | undefined {
  if (key === '') return 'A key has at least one character.';
  if (key === '.' || key === '..') return 'Addresses cannot contain this key.';
  if (CONTROL_CHARACTER.test(key)) return 'Keys have no control characters.';
  if (!key.isWellFormed()) return 'The key contains half of a character.';
  return new TextEncoder().encode(key).length > 512 ? 'A key has 512 bytes at most.' : undefined;
}
