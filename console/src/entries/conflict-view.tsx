import type {EntryState} from './entry-state.ts';
import {JsonView} from './json-view.tsx';

/** Both sides of a conflict, and the choice between them. */
export function ConflictView({entry}: {readonly entry: EntryState}) {
  const saved = entry.saved.value.value;
  return (
    <div class="conflict">
      <div class="note warning" role="alert">
        <p>
          <strong>
            {saved == null
              ? 'Another program deleted this entry while you edited it, or it expired.'
              : `Another program stored revision ${saved.revision} while you edited this entry.`}
          </strong>{' '}
          Nothing of yours was stored.
        </p>
      </div>
      <div class="conflict-sides">
        <section class="conflict-side" aria-label="Your value">
          <h3>Yours</h3>
          <JsonView text={entry.text.value} label="Your value" />
        </section>
        <section class="conflict-side" aria-label="The stored value">
          <h3>{saved == null ? 'Stored: nothing' : `Stored: revision ${saved.revision}`}</h3>
          {saved != null && (
            <JsonView text={entry.readable.value ?? ''} label="The stored value" exactText={() => saved.text} />
          )}
        </section>
      </div>
      <div class="entry-buttons">
        <button
          type="button"
          class="primary"
          onClick={() => {
            entry.rebase();
            void entry.save();
          }}
        >
          {saved == null ? 'Store mine again' : 'Replace with mine'}
        </button>
        <button type="button" onClick={() => entry.discard()}>
          Keep the stored one
        </button>
        <button type="button" onClick={() => entry.rebase()}>
          Edit mine further
        </button>
      </div>
    </div>
  );
}
