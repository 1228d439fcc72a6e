import './events.css';
import {useCallback, useEffect, useMemo} from 'preact/hooks';
import {formatRoute} from '../route.ts';
import {Command} from '../shell/command.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {exampleOfWriting} from '../shell/format/example-commands.ts';
import {formatClock} from '../shell/format/format-clock.ts';
import type {LiveLine} from '../shell/live/live-lines.ts';
import {LiveList} from '../shell/live/live-list.tsx';
import {LivePage} from '../shell/live/live-page.tsx';
import {Loading} from '../shell/loading.tsx';
import {Marked} from '../shell/marked.tsx';
import type {PageProps} from '../shell/page-props.ts';
import {setTo} from '../shell/set-to.ts';
import {EventDetail} from './event-detail.tsx';
import {EventFilters} from './event-filters.tsx';
import {EventsState} from './events-state.ts';
import {KIND_NAMES, type ReceivedEvent} from './received-event.ts';

/** Changes as they happen, or since a revision. */
export function EventsPage({state}: PageProps) {
  const events = useMemo(() => new EventsState(state.client), [state]);
  useEffect(() => state.whileWatched(watched => events.follow(watched)), [state, events]);
  const row = useCallback(
    (line: LiveLine<ReceivedEvent>, isSelected: boolean) => (
      <EventRow
        isSelected={isSelected}
        event={line.content}
        onSelect={setTo(events.selected, isSelected ? undefined : line)}
      />
    ),
    [events],
  );
  const close = useCallback(setTo(events.selected, undefined), [events]);
  const selected = events.selected.value;
  return (
    <LivePage
      title="Events"
      lines={events.lines}
      filters={<EventFilters events={events} drafts={state.drafts} />}
      failure={events.failure.value}
    >
      <LiveList
        lines={events.lines}
        label="List of events"
        empty={<NoEvents events={events} />}
        selected={selected?.id}
      >
        {row}
      </LiveList>
      {selected !== undefined && <EventDetail event={selected.content} state={state} onClose={close} />}
    </LivePage>
  );
}

function NoEvents({events}: {readonly events: EventsState}) {
  if (events.lines.isFilteredOut.value)
    return (
      <EmptyState glyph="events" title="No event matches the filters.">
        <button type="button" onClick={() => events.showAll()}>
          Show all kinds and keys
        </button>
      </EmptyState>
    );
  if (!events.isConnected.value) return <Loading name="page" text="Connecting…" unless={events.failure.value} />;
  return (
    <EmptyState glyph="events" title="Nothing has changed since this page was opened.">
      <p>Each change appears here by itself. Store a value:</p>
      <Command text={exampleOfWriting()} />
    </EmptyState>
  );
}

interface EventRowProps {
  readonly event: ReceivedEvent;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function EventRow({isSelected, event: {kind, receivedMs, revision, key, plugin, text}, onSelect}: EventRowProps) {
  const subject = key ?? plugin ?? '';
  return (
    <div class="event-line" data-kind={kind}>
      <time>{receivedMs === undefined ? '' : formatClock(receivedMs)}</time>
      <span class="quiet revision">{revision}</span>
      <button
        type="button"
        class="live-button"
        tabIndex={-1}
        aria-expanded={isSelected}
        aria-label={`${KIND_NAMES[kind]} ${subject}`}
        onClick={onSelect}
      >
        {KIND_NAMES[kind]}
      </button>
      <span class="one-line subject">
        {key !== undefined && (
          <a href={formatRoute({view: 'entries', key})} tabIndex={-1}>
            <Marked text={key} />
          </a>
        )}
        {plugin !== undefined && (
          <a href={formatRoute({view: 'plugin', id: plugin, tab: 'log'})} tabIndex={-1}>
            <bdi>{plugin}</bdi>
          </a>
        )}
      </span>
      <span class="one-line quiet">
        <Marked text={text.slice(0, PREVIEW_LENGTH)} />
      </span>
    </div>
  );
}

/** Longest text in a line, in UTF-16 units: more than a wide screen shows. */
const PREVIEW_LENGTH = 300;
