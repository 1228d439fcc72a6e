import {useId} from 'preact/hooks';
import {clickIf} from '../shell/click-if.ts';
import {Dialog} from '../shell/dialog.tsx';
import type {Drafts} from '../state/drafts.ts';

/** Characters that no key has. */
const CONTROL_CHARACTER = /\p{Cc}/u;

interface NewEntryDialogProps {
  /** Prefix of the list, with which the key begins. */
  readonly prefix: string;
  readonly drafts: Drafts;
  readonly onClose: () => void;
  readonly onCreate: (key: string) => void;
}

/** Asks for the key of a new entry. Its value is typed where values are edited. */
export function NewEntryDialog({prefix, drafts, onClose, onCreate}: NewEntryDialogProps) {
  const draft = drafts.at<string>({view: 'entries'});
  const key = draft.value ?? prefix;
  const id = useId();
  const problem = findProblem(key);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    draft.value = undefined;
    onCreate(key);
  };
  // Escape keeps the key for the next time.
  const cancel = (): void => {
    draft.value = undefined;
    onClose();
  };
  return (
    <Dialog title="New entry" onClose={onClose}>
      <form class="new-entry stack" onSubmit={submit}>
        <label for={id}>Key</label>
        <input
          id={id}
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={key}
          placeholder="com.example.hello/settings"
          aria-describedby={`${id}-about`}
          onInput={event => {
            const {value} = event.currentTarget;
            draft.value = value === prefix ? undefined : value;
          }}
        />
        <p id={`${id}-about`} class={problem === undefined || key === '' ? 'quiet' : 'problem'}>
          {key === '' ? 'Begin it with the id of your plugin, to keep it apart from others.' : problem}
        </p>
        <div class="buttons">
          <button type="button" onClick={cancel}>
            Cancel
          </button>
          <button type="submit" class="primary" {...clickIf(problem === undefined)}>
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
