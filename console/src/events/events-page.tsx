import './events.css';
import {useEffect, useMemo} from 'preact/hooks';
import {KeyLink} from '../entries/key-link.tsx';
import {formatRoute} from '../route.ts';
import {Command} from '../shell/command.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {exampleOfWriting} from '../shell/format/example-commands.ts';
import {formatClock} from '../shell/format/format-clock.ts';
import {LivePage} from '../shell/live/live-page.tsx';
import {Loading} from '../shell/loading.tsx';
import {Marked} from '../shell/marked.tsx';
import type {PageProps} from '../shell/page-props.ts';
import {EventDetail} from './event-detail.tsx';
import {EventFilters} from './event-filters.tsx';
import {EventsState} from './events-state.ts';
import {KIND_NAMES, type ReceivedEvent} from './received-event.ts';

/** Changes as they happen, or since a revision. */
export function EventsPage({state}: PageProps) {
  const events = useMemo(() => new EventsState(state.client), [state]);
  useEffect(() => state.whileWatched(watched => events.follow(watched)), [state, events]);
  return (
    <LivePage
      title="Events"
      lines={events.lines}
      filters={<EventFilters events={events} drafts={state.drafts} />}
      failure={events.failure.value}
      empty={<NoEvents events={events} />}
      selected={events.selected}
      row={(event, isSelected, onSelect) => <EventRow event={event} isSelected={isSelected} onSelect={onSelect} />}
      detail={(event, onClose) => <EventDetail event={event} state={state} onClose={onClose} />}
    />
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
        {key !== undefined && <KeyLink text={key} tabIndex={-1} />}
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
