import {Dialog} from '../shell/dialog.tsx';
import {setTo} from '../shell/set-to.ts';
import type {EntryState} from './entry-state.ts';
import {JsonView} from './json-view.tsx';

/** Says that another program changed what the user edits. Once, however often it does, and the editor stays as it is. */
export function ConflictNote({entry}: {readonly entry: EntryState}) {
  return (
    <>
      <div role="status">
        {entry.isConflict.value && (
          <div class="note warning conflict-note">
            <p>
              {entry.saved.value.value == null
                ? 'Another program deleted this entry while you were editing it, or it expired.'
                : 'Another program stored a value while you were editing this entry.'}{' '}
              Your text is kept.{' '}
              <button type="button" onClick={setTo(entry.isComparing, true)}>
                Compare…
              </button>
            </p>
          </div>
        )}
      </div>
      {entry.isConflict.value && entry.isComparing.value && <ConflictDialog entry={entry} />}
    </>
  );
}

/** Both sides of a conflict, and the choice between them. */
function ConflictDialog({entry}: {readonly entry: EntryState}) {
  const saved = entry.saved.value.value;
  const editFurther = setTo(entry.isComparing, false);
  return (
    <Dialog title="Which value is to be stored?" name="conflict" onClose={editFurther}>
      <div class="conflict-sides">
        <section class="conflict-side stack" aria-label="Your value">
          <h3>Yours</h3>
          <JsonView text={entry.text.value} label="Your value" />
        </section>
        <section class="conflict-side stack" aria-label="The stored value">
          <h3>{saved == null ? 'Stored: nothing' : `Stored: revision ${saved.revision}`}</h3>
          {saved != null && (
            <JsonView text={entry.readable.value ?? ''} label="The stored value" exactText={() => saved.text} />
          )}
        </section>
      </div>
      <div class="buttons">
        <button type="button" onClick={editFurther}>
          Edit mine further
        </button>
        <button type="button" onClick={() => entry.discard()}>
          Keep the stored one
        </button>
        <button type="button" class="primary" onClick={() => void entry.replace()}>
          {saved == null ? 'Store mine again' : 'Replace with mine'}
        </button>
      </div>
    </Dialog>
  );
}
