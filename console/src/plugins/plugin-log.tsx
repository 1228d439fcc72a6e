import {useSignal} from '@preact/signals';
import {useEffect, useLayoutEffect, useMemo, useRef} from 'preact/hooks';
import type {Plugin} from '../service/documents.ts';
import {FailureNote} from '../shell/failure-note.tsx';
import {formatClock} from '../shell/format-clock.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {LogState, type ShownLine} from './log-state.ts';
import {RestartButton} from './restart-button.tsx';

/** Distance from the end, in pixels, within which the log stays at its end. */
const END_PIXELS = 40;

/** The log of a plugin. It stays at its end unless the user scrolls up. */
export function PluginLog({state, plugin}: {readonly state: ConsoleState; readonly plugin: Plugin}) {
  const {id} = plugin;
  const log = useMemo(() => new LogState(state.client, id), [state, id]);
  const onlyErrors = useSignal(false);
  useEffect(() => {
    const left = new AbortController();
    void log.follow(left.signal);
    return () => left.abort();
  }, [log]);
  const failure = log.failure.value;
  const lines = log.lines.value.filter(({level}) => !onlyErrors.value || level === 'error');
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
        <span class="quiet log-count">{lines.length === 1 ? '1 line' : `${lines.length} lines`}</span>
        {plugin.hasBackground && <RestartButton id={id} />}
      </div>
      {failure !== undefined && <FailureNote failure={failure} />}
      <Lines lines={lines} />
    </div>
  );
}

function Lines({lines}: {readonly lines: readonly ShownLine[]}) {
  const element = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (element.current !== null && isAtEnd.current) element.current.scrollTop = element.current.scrollHeight;
  }, [lines]);
  const onScroll = ({currentTarget: {scrollHeight, scrollTop, clientHeight}}: {currentTarget: HTMLElement}): void => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PIXELS;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached with the keyboard.
    <section class="log" ref={element} onScroll={onScroll} tabIndex={0} aria-label="Log lines">
      {lines.length === 0 && <p class="quiet">Nothing was logged yet.</p>}
      {lines.map(line => (
        <Line key={line.id} line={line} />
      ))}
    </section>
  );
}

function Line({line: {at, level, text, dropped}}: {readonly line: ShownLine}) {
  return (
    <>
      {dropped > 0 && <p class="log-gap">{dropped === 1 ? '1 line is missing' : `${dropped} lines are missing`}</p>}
      <p class="log-line" data-level={level}>
        <time dateTime={at}>{formatClock(Date.parse(at))}</time>
        {level !== 'info' && <span class="level">{level}</span>}
        <span class="text">{text}</span>
      </p>
    </>
  );
}
