import {useSignal} from '@preact/signals';
import type {HistoryChange, HistoryPage} from 'crewroom/client';
import {useEffect} from 'preact/hooks';
import {CallerName} from '../plugins/plugin-links.tsx';
import type {CallFailure} from '../service/call-service.ts';
import {clickIf} from '../shell/click-if.ts';
import {Dialog} from '../shell/dialog.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {formatMoment} from '../shell/format/format-clock.ts';
import {formatBytes} from '../shell/format/format-figures.ts';
import {Loading} from '../shell/loading.tsx';
import {setTo} from '../shell/set-to.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {keepFailure} from '../state/loaded.ts';
import type {EntryState} from './entry-state.ts';
import {readableJson} from './format-json.ts';
import {JsonView} from './json-view.tsx';

/** Number of changes that are loaded at once. */
const LIMIT = 20;

interface EarlierValuesProps {
  readonly entry: EntryState;
  readonly state: ConsoleState;
}

/** The button that shows the earlier values of an entry. */
export function EarlierValues(props: EarlierValuesProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" onClick={setTo(isOpen, true)}>
        Earlier values…
      </button>
      {isOpen.value && <EarlierDialog {...props} onClose={setTo(isOpen, false)} />}
    </>
  );
}

function EarlierDialog({entry, state, onClose}: EarlierValuesProps & {readonly onClose: () => void}) {
  const page = useSignal<HistoryPage | undefined>(undefined);
  const failure = useSignal<CallFailure | undefined>(undefined);
  const chosen = useSignal<HistoryChange | undefined>(undefined);
  const isLoading = useSignal(false);
  const load = async (): Promise<void> => {
    if (isLoading.value) return;
    isLoading.value = true;
    await keepFailure(failure, async () => {
      let {cursor: after} = page.value ?? {};
      let next: HistoryPage;
      // A page may have no changes of this entry, and others follow.
      do {
        next = await state.client.entries.history(entry.key, {after, limit: LIMIT});
        after = next.cursor;
      } while (next.changes.length === 0 && after !== undefined);
      const {changes = []} = page.value ?? {};
      page.value = {...next, changes: [...changes, ...next.changes]};
    });
    isLoading.value = false;
  };
  useEffect(() => void load(), [entry]);
  const text = chosen.value && textOf(chosen.value);
  const isChanging = entry.status.value.kind === 'changing';
  const canRestore = text !== undefined && entry.draft.value === undefined && !isChanging;
  return (
    <Dialog title="Earlier values" name="conflict" onClose={onClose}>
      {page.value === undefined && <Loading unless={failure.value} />}
      <ul class="earlier-values">
        {page.value?.changes.map(change => (
          <li key={change.revision}>
            <Change
              change={change}
              entry={entry}
              state={state}
              chosen={chosen.value}
              onChoose={setTo(chosen, change)}
            />
          </li>
        ))}
      </ul>
      {failure.value !== undefined && <FailureNote failure={failure.value} />}
      {page.value?.cursor !== undefined && (
        <p>
          <button type="button" onClick={() => void load()}>
            Older ones
          </button>
        </p>
      )}
      {text !== undefined && (
        <section class="conflict-side stack" aria-label="The earlier value">
          <p class="quiet">Restore brings green lines back, and removes those that are struck through.</p>
          <JsonView
            key={chosen.value?.revision}
            text={readableJson(text)}
            since={entry.readable.value ?? ''}
            label="The earlier value"
            exactText={() => text}
          />
        </section>
      )}
      {entry.draft.value !== undefined && <p class="quiet">To restore a value, save or discard your changes first.</p>}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button
          type="button"
          class="primary"
          {...clickIf(canRestore, () => {
            onClose();
            void entry.restore(text ?? '');
          })}
        >
          Restore
        </button>
      </div>
    </Dialog>
  );
}

function textOf(change: HistoryChange): string | undefined {
  return change.kind === 'written' ? change.text : undefined;
}

interface ChangeProps extends EarlierValuesProps {
  readonly change: HistoryChange;
  readonly chosen: HistoryChange | undefined;
  readonly onChoose: () => void;
}

function Change({change, entry, state, chosen, onChoose}: ChangeProps) {
  const {kind, revision} = change;
  if (kind === 'log-begins')
    return revision === 0 ? null : <p class="quiet">Changes up to revision {revision} are not kept.</p>;
  const {committedAtMs, writtenBy} = change;
  const isNow = entry.saved.value.value?.revision === revision;
  const hasText = textOf(change) !== undefined;
  const name = `Revision ${revision}`;
  const facts = [
    kind === 'written' ? formatBytes(change.sizeBytes) : kind,
    isNow ? 'now' : kind === 'written' && !hasText && 'too large to be kept',
    committedAtMs !== undefined && formatMoment(committedAtMs),
  ].filter(Boolean);
  return (
    <>
      {isNow || !hasText ? (
        name
      ) : (
        <button type="button" aria-pressed={chosen === change} onClick={onChoose}>
          {name}
        </button>
      )}
      {`, ${facts.join(', ')}`}
      {writtenBy !== undefined && ', by '}
      {writtenBy !== undefined && <CallerName state={state} principal={writtenBy} />}
    </>
  );
}
