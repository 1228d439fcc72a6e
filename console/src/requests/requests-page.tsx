import './requests.css';
import {untracked, useSignalEffect} from '@preact/signals';
import type {RecordedRequest} from 'crewroom/client/service';
import {useEffect, useMemo} from 'preact/hooks';
import {PluginLink} from '../plugins/plugin-links.tsx';
import {Command} from '../shell/command.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {exampleOfReading} from '../shell/format/example-commands.ts';
import {formatClock} from '../shell/format/format-clock.ts';
import {formatMs} from '../shell/format/format-figures.ts';
import {LivePage} from '../shell/live/live-page.tsx';
import {Loading} from '../shell/loading.tsx';
import type {PageProps} from '../shell/page-props.ts';
import {RequestDetail} from './request-detail.tsx';
import {ALL, pluginSender} from './request-filter.ts';
import {RequestFilters} from './request-filters.tsx';
import {RequestsState} from './requests-state.ts';

/** The requests that the service answers, as they are answered. */
export function RequestsPage({state}: PageProps) {
  const requests = useMemo(() => new RequestsState(), []);
  useEffect(() => state.whileWatched(watched => requests.follow(watched)), [state, requests]);
  useSignalEffect(() => {
    const route = state.route.value;
    if (route.view !== 'requests') return;
    const sender = route.plugin === undefined ? 'all' : pluginSender(route.plugin);
    // Only the address leads here: what the user chooses later stays.
    untracked(() => requests.choose({...ALL, key: route.key ?? '', sender}));
  });
  return (
    <LivePage
      title="Requests"
      lines={requests.lines}
      filters={<RequestFilters requests={requests} />}
      failure={requests.failure.value}
      empty={<NoRequests requests={requests} />}
      selected={requests.selected}
      row={(request, isSelected, onSelect) => (
        <RequestRow isSelected={isSelected} state={state} request={request} onSelect={onSelect} />
      )}
      detail={(request, onClose) => <RequestDetail request={request} state={state} onClose={onClose} />}
    />
  );
}

function NoRequests({requests}: {readonly requests: RequestsState}) {
  const {path, key, status, sender} = requests.filter.value;
  if (path !== '' || key !== '' || status !== 'all' || sender !== 'all')
    return (
      <EmptyState glyph="requests" title="No request matches the filters.">
        <p>The service keeps its last 1,000 requests, and those that follow appear here by themselves.</p>
        <button type="button" onClick={() => requests.choose(ALL)}>
          Show all
        </button>
      </EmptyState>
    );
  if (!requests.isKnown.value) return <Loading name="page" unless={requests.failure.value} />;
  return (
    <EmptyState glyph="requests" title="No request yet.">
      <p>Those of plugins, pages and programs appear here by themselves. Send one:</p>
      <Command text={exampleOfReading()} />
    </EmptyState>
  );
}

interface RequestRowProps extends PageProps {
  readonly request: RecordedRequest;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function RequestRow({isSelected, state, request, onSelect}: RequestRowProps) {
  const {requestedAtMs, method, path, status, durationMs, plugin, origin, failure} = request;
  return (
    <div class="request-line" data-class={String(status)[0]}>
      <time dateTime={new Date(requestedAtMs).toISOString()}>{formatClock(requestedAtMs)}</time>
      <button
        type="button"
        class="live-button one-line"
        tabIndex={-1}
        aria-expanded={isSelected}
        aria-label={`${method} ${path}, ${status}`}
        onClick={onSelect}
      >
        {method}
      </button>
      <strong class="request-status">{status}</strong>
      <span class="quiet duration">{formatMs(durationMs)}</span>
      <span class="one-line path">
        <bdi>{path}</bdi>
        {failure !== undefined && <span class="request-code">{failure.code}</span>}
      </span>
      <span class="one-line quiet sender">
        {plugin === undefined ? <bdi>{origin ?? ''}</bdi> : <PluginLink state={state} id={plugin} tabIndex={-1} />}
      </span>
    </div>
  );
}
