import {type Signal, useSignal, useSignalEffect} from '@preact/signals';
import {useEffect, useMemo} from 'preact/hooks';
import type {LogLine, Plugin} from '../service/documents.ts';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {formatClock} from '../shell/format/format-clock.ts';
import type {LiveLine} from '../shell/live/live-lines.ts';
import {LiveList} from '../shell/live/live-list.tsx';
import {PauseButton} from '../shell/live/pause-button.tsx';
import {Loading} from '../shell/loading.tsx';
import {setTo} from '../shell/set-to.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {LogState} from './log-state.ts';
import {RestartButton} from './restart-button.tsx';

/** The log of a plugin. It stays at its end unless the user scrolls up. */
export function PluginLog({state, plugin}: {readonly state: ConsoleState; readonly plugin: Plugin}) {
  const {id} = plugin;
  const log = useMemo(() => new LogState(state.client, id), [state, id]);
  const onlyErrors = useSignal(false);
  useEffect(() => state.whileWatched(watched => log.follow(watched)), [state, log]);
  const failure = log.failure.value;
  const {lines} = log;
  useSignalEffect(() => {
    lines.filter.value = onlyErrors.value ? isError : () => true;
  });
  const count = lines.shown.value.length;
  return (
    <div class="log-view">
      <div class="log-head">
        <label>
          <input
            type="checkbox"
            checked={onlyErrors.value}
            onChange={event => {
              onlyErrors.value = event.currentTarget.checked;
            }}
          />{' '}
          Errors only
        </label>
        <span class="quiet live-count">{count === 1 ? '1 line' : `${count} lines`}</span>
        <PauseButton lines={lines} />
        {plugin.hasBackground && <RestartButton id={id} state={state} />}
      </div>
      {failure !== undefined && <FailureNote failure={failure} />}
      <LiveList
        lines={lines}
        label="Log lines"
        empty={
          log.isKnown.value ? (
            <NoLines plugin={plugin} onlyErrors={onlyErrors} lines={lines} />
          ) : (
            <Loading name="page" unless={failure} />
          )
        }
      >
        {Line}
      </LiveList>
    </div>
  );
}

interface NoLinesProps {
  readonly plugin: Plugin;
  readonly onlyErrors: Signal<boolean>;
  readonly lines: LogState['lines'];
}

function NoLines({plugin, onlyErrors, lines}: NoLinesProps) {
  if (lines.isFilteredOut.value)
    return (
      <EmptyState glyph="plugins" title="No errors were logged.">
        <button type="button" onClick={setTo(onlyErrors, false)}>
          Show all lines
        </button>
      </EmptyState>
    );
  return (
    <EmptyState glyph="plugins" title="Nothing was logged yet.">
      <p>
        {plugin.hasBackground ? (
          <>
            Lines that its background writes appear here by themselves: <code>console.log('Hello')</code>
          </>
        ) : (
          'This plugin has no background. The tools of the browser show what its page logs.'
        )}
      </p>
    </EmptyState>
  );
}

function isError({level}: LogLine): boolean {
  return level === 'error';
}

function Line({content: {loggedAt, level, text}}: LiveLine<LogLine>) {
  return (
    <p class="log-line" data-level={level}>
      <time dateTime={loggedAt}>{formatClock(Date.parse(loggedAt))}</time>
      {level !== 'info' && <span class="level">{level}</span>}
      <span class="text">{text}</span>
    </p>
  );
}
