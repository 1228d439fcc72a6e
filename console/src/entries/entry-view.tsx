import {useSignal} from '@preact/signals';
import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {CallerName, findPluginOf, PluginLink} from '../plugins/plugin-links.tsx';
import {formatRoute} from '../route.ts';
import {programAddress} from '../service/own-origin.ts';
import {Breakable} from '../shell/breakable.tsx';
import {CopyButton} from '../shell/copy-button.tsx';
import {Dialog} from '../shell/dialog.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {formatCurl} from '../shell/format/format-curl.ts';
import {formatBytes} from '../shell/format/format-figures.ts';
import {isPressed, SHORTCUTS} from '../shell/keys/shortcuts.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {ConflictView} from './conflict-view.tsx';
import {entryPath} from './entry-calls.ts';
import type {EntryState} from './entry-state.ts';
import {JsonView} from './json-view.tsx';
import {TimeToLive} from './time-to-live.tsx';

/** Longest value in a curl command, in UTF-16 units: Linux takes 128 KiB in one argument. */
const CURL_LENGTH_MAX = 30_000;

interface EntryViewProps {
  readonly entry: EntryState;
  readonly state: ConsoleState;
  readonly onClose: () => void;
}

/** The open entry: its value, which can be edited at once, and what can be done with it. */
export function EntryView({entry, state, onClose}: EntryViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [entry]);
  const saved = entry.saved.value.value;
  const failure = entry.saved.failure.value;
  return (
    <section
      class="entry"
      aria-labelledby="entry-title"
      onKeyDown={event => {
        if (isPressed(event, SHORTCUTS.leave)) onClose();
      }}
    >
      <header class="entry-head">
        <h2 id="entry-title" ref={heading} tabIndex={-1}>
          <bdi>
            <Breakable text={entry.key} />
          </bdi>
        </h2>
        <button type="button" onClick={onClose}>
          Close<span class="hidden"> the entry</span>
        </button>
      </header>
      {failure !== undefined && <FailureNote failure={failure} />}
      {saved === undefined && failure === undefined && <p class="quiet">Loading…</p>}
      {saved === null && entry.draft.value === undefined && <NoEntry entry={entry} />}
      {(saved != null || (saved === null && entry.draft.value !== undefined)) && (
        <Content entry={entry} state={state} />
      )}
    </section>
  );
}

function NoEntry({entry}: {readonly entry: EntryState}) {
  return (
    <EmptyState
      glyph="entries"
      title={entry.status.value.kind === 'done' ? 'The entry was deleted.' : 'There is no entry with this key.'}
    >
      {entry.status.value.kind !== 'done' && <p>It may have been deleted, or have expired.</p>}
      <button type="button" onClick={() => entry.create()}>
        Create it
      </button>
    </EmptyState>
  );
}

type ContentProps = Omit<EntryViewProps, 'onClose'>;

function Content({entry, state}: ContentProps) {
  return (
    <>
      <EntryFacts entry={entry} />
      <EntryLinks entry={entry} state={state} />
      {entry.isConflict.value ? (
        <ConflictView entry={entry} />
      ) : (
        <JsonView
          text={entry.text.value}
          label="Value"
          onEdit={text => entry.edit(text)}
          onSave={() => void entry.save()}
          exactText={() => entry.exactText()}
        />
      )}
      <Foot entry={entry} />
    </>
  );
}

function EntryFacts({entry}: {readonly entry: EntryState}) {
  const saved = entry.saved.value.value;
  if (saved == null) return <p class="quiet">New entry, not stored yet</p>;
  const isLaidOut = entry.draft.value?.isLaidOut ?? entry.readable.value !== saved.text;
  return (
    <div class="entry-facts">
      <span class="quiet">
        Revision {saved.revision} · {formatBytes(saved.sizeBytes)}
        {isLaidOut && ' on one line, laid out here'} · changed{' '}
        <time dateTime={new Date(saved.updatedAtMs).toISOString()}>{new Date(saved.updatedAtMs).toLocaleString()}</time>
      </span>
      <TimeToLive entry={entry} />
    </div>
  );
}

/** The ways to the plugin whose entry it is, to the caller that wrote it last, and to the requests for it. */
function EntryLinks({entry, state}: ContentProps) {
  const {key} = entry;
  const plugin = findPluginOf(state, key);
  const writtenBy = entry.saved.value.value?.writtenBy;
  return (
    <p class="entry-links quiet">
      {plugin !== undefined && writtenBy !== `plugin:${plugin}` && (
        <span>
          Plugin: <PluginLink state={state} id={plugin} />
        </span>
      )}
      {writtenBy !== undefined && (
        <span>
          Written by <CallerName state={state} principal={writtenBy} />
        </span>
      )}
      <a href={formatRoute({view: 'requests', key})}>Requests for it</a>
    </p>
  );
}

function Foot({entry}: {readonly entry: EntryState}) {
  const draft = entry.draft.value;
  const isChanging = entry.status.value.kind === 'changing';
  const problem = entry.problem.value;
  return (
    <footer class="entry-foot">
      <Status entry={entry} />
      <div class="entry-buttons">
        {!entry.isConflict.value && (
          <>
            <button
              type="button"
              class="primary"
              disabled={draft === undefined || problem !== undefined || isChanging}
              onClick={() => void entry.save()}
            >
              Save
            </button>
            <button type="button" disabled={draft === undefined || isChanging} onClick={() => entry.discard()}>
              Discard
            </button>
            <button type="button" onClick={() => entry.format()}>
              Format
            </button>
          </>
        )}
        <CopyCommands entry={entry} />
        <DeleteButton entry={entry} />
      </div>
    </footer>
  );
}

function Status({entry}: {readonly entry: EntryState}) {
  const problem = entry.problem.value;
  const status = entry.status.value;
  const isEdited = entry.draft.value !== undefined;
  return (
    <div role="status" class="entry-status">
      {problem !== undefined && <p class="problem">Not JSON: {problem}</p>}
      {problem === undefined && isEdited && <p class="quiet">Changed, not saved</p>}
      {status.kind === 'done' && !isEdited && <p>{status.text}</p>}
      {status.kind === 'failed' && !entry.isConflict.value && <FailureNote failure={status.failure} />}
    </div>
  );
}

/** Commands that read the entry, and that store the value as it is in the service. */
function CopyCommands({entry}: {readonly entry: EntryState}): ComponentChildren {
  const url = programAddress() + entryPath(entry.key);
  const saved = entry.saved.value.value;
  if (saved == null) return null;
  const isShort = saved.text.length <= CURL_LENGTH_MAX;
  return (
    <>
      <CopyButton name="Copy" about="the value as it is stored" text={saved.text} />
      <CopyButton name="curl" about="to read the entry" text={formatCurl({method: 'GET', url})} />
      {isShort && (
        <CopyButton
          name="curl to write"
          about="the entry"
          text={formatCurl({method: 'PUT', url, headers: {'Content-Type': 'application/json'}, body: saved.text})}
        />
      )}
    </>
  );
}

function DeleteButton({entry}: {readonly entry: EntryState}) {
  const isAsking = useSignal(false);
  const close = (): void => {
    isAsking.value = false;
  };
  if (entry.saved.value.value == null) return null;
  return (
    <>
      <button
        type="button"
        class="danger-button"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        Delete…
      </button>
      {isAsking.value && (
        <Dialog title="Delete this entry?" onClose={close}>
          <p>
            <code>
              <bdi>{entry.key}</bdi>
            </code>
          </p>
          <p class="quiet">It is deleted from the disk. This cannot be undone.</p>
          <div class="dialog-foot">
            <button type="button" onClick={close}>
              Keep it
            </button>
            <button
              type="button"
              class="primary"
              onClick={() => {
                close();
                void entry.delete();
              }}
            >
              Delete
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
