import {useSignal} from '@preact/signals';
import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {CallerName, findPluginOf, PluginLink} from '../plugins/plugin-links.tsx';
import {formatRoute} from '../route.ts';
import {programAddress} from '../service/own-origin.ts';
import {Breakable} from '../shell/breakable.tsx';
import {clickIf} from '../shell/click-if.ts';
import {CopyButton} from '../shell/copy-button.tsx';
import {Dialog} from '../shell/dialog.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {formatMoment} from '../shell/format/format-clock.ts';
import {formatCurl} from '../shell/format/format-curl.ts';
import {formatBytes} from '../shell/format/format-figures.ts';
import {isPressed, SHORTCUTS} from '../shell/keys/shortcuts.ts';
import {Loading} from '../shell/loading.tsx';
import {Marked} from '../shell/marked.tsx';
import {setTo} from '../shell/set-to.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {ConflictNote} from './conflict-view.tsx';
import {EarlierValues} from './earlier-values.tsx';
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
  // What the user has typed is shown also while the service is away.
  const hasText = saved != null || entry.draft.value !== undefined || entry.isNew.value;
  return (
    <section
      class="entry"
      aria-labelledby="entry-title"
      onKeyDown={event => {
        if (isPressed(event, SHORTCUTS.leave) && !event.defaultPrevented) onClose();
      }}
    >
      <header class="entry-head apart">
        <h2 id="entry-title" ref={heading} tabIndex={-1} data-home={hasText ? undefined : ''}>
          <bdi>
            <Breakable text={entry.key} />
          </bdi>
        </h2>
        <button type="button" onClick={onClose}>
          Close<span class="hidden"> the entry</span>
        </button>
      </header>
      {failure !== undefined && <FailureNote failure={failure} />}
      {saved === undefined && failure === undefined && <Loading />}
      {saved === null && !hasText && <NoEntry entry={entry} state={state} />}
      {hasText && <Content entry={entry} state={state} />}
    </section>
  );
}

function NoEntry({entry, state}: ContentProps) {
  return (
    <EmptyState
      glyph="entries"
      title={entry.status.value.kind === 'done' ? 'The entry was deleted.' : 'There is no entry with this key.'}
    >
      {entry.status.value.kind !== 'done' && <p>It may have been deleted, or have expired.</p>}
      <button type="button" onClick={setTo(entry.isNew, true)}>
        Create it
      </button>
      <EarlierValues entry={entry} state={state} />
      {entry.status.value.kind !== 'done' && <Status entry={entry} />}
    </EmptyState>
  );
}

type ContentProps = Omit<EntryViewProps, 'onClose'>;

function Content({entry, state}: ContentProps) {
  return (
    <>
      <EntryFacts entry={entry} />
      <EntryLinks entry={entry} state={state} />
      <ConflictNote entry={entry} />
      <JsonView
        text={entry.text.value}
        label="Value"
        onEdit={text => entry.edit(text)}
        onSave={() => void entry.save()}
        exactText={() => entry.exactText()}
      />
      <Foot entry={entry} state={state} />
    </>
  );
}

function EntryFacts({entry}: {readonly entry: EntryState}) {
  const saved = entry.saved.value.value;
  if (saved === undefined) return null;
  if (saved === null) return <p class="quiet">New entry, not stored yet</p>;
  const isLaidOut = entry.draft.value?.isLaidOut ?? entry.readable.value !== saved.text;
  return (
    <div class="entry-facts">
      <span class="quiet">
        Revision {saved.revision} · {formatBytes(saved.sizeBytes)}
        {isLaidOut && ' on one line, laid out here'} · changed{' '}
        <time dateTime={new Date(saved.updatedAtMs).toISOString()}>{formatMoment(saved.updatedAtMs)}</time>
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
    <p class="links quiet">
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

function Foot({entry, state}: ContentProps) {
  const isEdited = entry.draft.value !== undefined;
  const isChanging = entry.status.value.kind === 'changing';
  const problem = entry.problem.value;
  return (
    <footer class="entry-foot stack">
      <Status entry={entry} />
      <div class="buttons">
        <button
          type="button"
          class="primary"
          {...clickIf(isEdited && problem === undefined && !isChanging, () => void entry.save())}
        >
          Save
        </button>
        <button type="button" {...clickIf(isEdited && !isChanging, () => entry.discard())}>
          Discard
        </button>
        <button type="button" onClick={() => entry.format()}>
          Format
        </button>
        <EarlierValues entry={entry} state={state} />
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
      {status.kind === 'changing' && <Loading text={status.text} />}
      {problem === undefined && isEdited && status.kind !== 'changing' && <p class="quiet">Changed, not saved</p>}
      {status.kind === 'done' && !isEdited && <p>{status.text}</p>}
      {status.kind === 'failed' && !entry.isConflict.value && <FailureNote failure={status.failure} />}
    </div>
  );
}

/** Copies the value, or what is typed while there is none, and commands that read the entry, and that store the value as it is in the service. */
function CopyCommands({entry}: {readonly entry: EntryState}): ComponentChildren {
  const url = programAddress() + entryPath(entry.key);
  const saved = entry.saved.value.value;
  if (saved == null)
    return entry.draft.value && <CopyButton name="Copy" about="what you have typed" text={entry.exactText()} />;
  const read = formatCurl({method: 'GET', url});
  const headers = {'Content-Type': 'application/json'};
  const isShort = saved.text.length <= CURL_LENGTH_MAX;
  const write = isShort ? formatCurl({method: 'PUT', url, headers, body: saved.text}) : undefined;
  return (
    <>
      <CopyButton name="Copy" about="the value as it is stored" text={saved.text} />
      {read !== undefined && <CopyButton name="Copy curl" about="to read the entry" text={read} />}
      {write !== undefined && <CopyButton name="Copy curl to write" about="the entry" text={write} />}
      {write === undefined && isShort && (
        <span class="quiet">In a shell of your system, use “crewroom get” and, with a file, “crewroom put”.</span>
      )}
    </>
  );
}

function DeleteButton({entry}: {readonly entry: EntryState}) {
  const isAsking = useSignal(false);
  const close = setTo(isAsking, false);
  if (entry.saved.value.value == null) return null;
  return (
    <>
      <button type="button" class="danger-button" onClick={setTo(isAsking, true)}>
        Delete…
      </button>
      {isAsking.value && (
        <Dialog title="Delete this entry?" onClose={close}>
          <p>
            <code>
              <Marked text={entry.key} />
            </code>
          </p>
          <p class="quiet">Earlier values has it as long as the change log does, which keeps none above 64 KiB.</p>
          <div class="buttons">
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
