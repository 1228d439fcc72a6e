import {useSignal} from '@preact/signals';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import {Command} from '../shell/command.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {exampleOfWriting} from '../shell/format/example-commands.ts';
import {formatMoment} from '../shell/format/format-clock.ts';
import {formatBytes} from '../shell/format/format-figures.ts';
import {isPressed, SHORTCUTS, type Shortcut} from '../shell/keys/shortcuts.ts';
import {Loading} from '../shell/loading.tsx';
import {Marked} from '../shell/marked.tsx';
import type {EntriesState} from './entries-state.ts';
import type {RowWindow} from './row-window.ts';
import type {Row} from './rows.ts';

/** Height of a row in pixels, also in the styles. */
const ROW_PIXELS = 34;

/** Keys that wait for a list: more than a user presses in the second or two for which it loads. */
const WAITING_KEYS_MAX = 20;

/** Rows that are rendered above and below those on the screen. */
const SPARE_ROWS = 12;

interface RowListProps {
  readonly entries: EntriesState;
  /** Called with the row that the user opens. */
  readonly onOpen: (row: Row) => void;
}

/** The rows of the list. Only those on the screen are rendered, and the arrow keys move among all. */
export function RowList({entries, onOpen, onNew}: RowListProps & NoRowsProps) {
  const rows = entries.rows.value;
  const failure = rows.failure.value;
  const isEmpty = rows.isStart.value && rows.isEnd.value && rows.rows.value.length === 0;
  return (
    <div class="rows-area">
      {failure !== undefined && (
        <div class="rows-failure">
          <FailureNote failure={failure} />
          <button type="button" onClick={() => void rows.reload()}>
            Try again
          </button>
        </div>
      )}
      {!rows.isOpen.value && failure === undefined && <Loading name="rows-note" />}
      {isEmpty && <NoRows entries={entries} onNew={onNew} />}
      <Scroller rows={rows} entries={entries} onOpen={onOpen} />
    </div>
  );
}

interface NoRowsProps {
  readonly entries: EntriesState;
  /** Called when the user wants to begin an entry. */
  readonly onNew: () => void;
}

function NoRows({entries, onNew}: NoRowsProps) {
  const prefix = entries.prefix.value;
  if (prefix !== '')
    return (
      <EmptyState glyph="entries" title="No key begins with this prefix.">
        <div class="buttons">
          <button type="button" onClick={() => entries.search('')}>
            Show all entries
          </button>
          <button type="button" onClick={onNew}>
            Begin one with it…
          </button>
        </div>
      </EmptyState>
    );
  return (
    <EmptyState glyph="entries" title="Nothing is stored yet.">
      <p>Store a first value, as a plugin does:</p>
      <Command text={exampleOfWriting()} />
      <button type="button" onClick={onNew}>
        Or type one…
      </button>
    </EmptyState>
  );
}

function Scroller({rows, entries, onOpen}: RowListProps & {readonly rows: RowWindow}) {
  const element = useRef<HTMLDivElement>(null);
  const visible = useSignal({from: 0, to: 0});
  const measure = (): void => {
    if (element.current === null) return;
    const {scrollTop, clientHeight} = element.current;
    const [from, to] = [Math.floor(scrollTop / ROW_PIXELS), Math.ceil((scrollTop + clientHeight) / ROW_PIXELS)];
    if (from !== visible.value.from || to !== visible.value.to) visible.value = {from, to};
    void rows.show(from, to);
  };
  useScrolling(element, {rows, entries, measure});
  const press = (key: string): void => {
    // A list that replaces the shown one may not be rendered yet.
    if (entries.rows.value.isOpen.value) moveByKey(key, {entries, onOpen, ...visible.value});
    else if (entries.waitingKeys.length < WAITING_KEYS_MAX) entries.waitingKeys.push(key);
  };
  const isFailed = rows.failure.value !== undefined;
  useLayoutEffect(() => {
    const keys = entries.waitingKeys.splice(0);
    // A list that cannot be loaded may open much later, when the user does something else.
    if (isFailed) return;
    for (const key of keys) press(key);
  }, [rows, rows.isOpen.value, isFailed]);
  const {from, to} = visible.value;
  const first = Math.max(from - SPARE_ROWS, rows.first.value);
  const shown = rows.rows.value.slice(first - rows.first.value, Math.max(0, to + SPARE_ROWS - rows.first.value));
  const {active} = entries;
  return (
    <div
      class="rows"
      data-home
      ref={element}
      role="listbox"
      tabIndex={0}
      aria-label="Entries"
      aria-activedescendant={shown.some(({key}) => key === active.value) ? 'active-row' : undefined}
      onScroll={measure}
      onKeyDown={event => {
        if (!KEYS.some(shortcut => isPressed(event, shortcut))) return;
        event.preventDefault();
        press(event.key);
      }}
    >
      <div class="rows-space" role="presentation" style={{height: `${rows.places.value * ROW_PIXELS}px`}}>
        {shown.map((row, index) => (
          <RowLine
            key={row.key}
            row={row}
            place={first + index}
            entries={entries}
            onOpen={() => {
              active.value = row.key;
              onOpen(row);
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface ScrollingParts {
  readonly rows: RowWindow;
  readonly entries: EntriesState;
  readonly measure: () => void;
}

/** Keeps the scrolled position of the list right: when it opens, its rows move, or the active row changes. */
function useScrolling(
  element: {readonly current: HTMLDivElement | null},
  {rows, entries, measure}: ScrollingParts,
): void {
  const moved = useRef(0);
  const isOpen = rows.isOpen.value;
  const active = entries.active.value;
  const movedNow = rows.moved.value;
  useLayoutEffect(() => {
    moved.current = rows.moved.peek();
    if (element.current !== null) element.current.scrollTop = rows.opensAtEnd ? element.current.scrollHeight : 0;
    measure();
  }, [rows, isOpen]);
  useLayoutEffect(() => {
    const by = movedNow - moved.current;
    moved.current = movedNow;
    if (element.current === null || by === 0) return;
    element.current.scrollTop += by * ROW_PIXELS;
    measure();
  }, [movedNow]);
  useLayoutEffect(() => {
    const place = active === undefined ? undefined : rows.placeOf(active);
    if (element.current === null || place === undefined) return;
    scrollTo(element.current, place);
    measure();
  }, [rows, isOpen, active]);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [rows]);
}

/** Scrolls as far as a row needs to be seen. */
function scrollTo(list: HTMLElement, place: number): void {
  const top = place * ROW_PIXELS;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW_PIXELS > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW_PIXELS - list.clientHeight;
}

/** Keys that have a meaning in the list. */
const KEYS: readonly Shortcut[] = [SHORTCUTS.step, SHORTCUTS.page, SHORTCUTS.ends, SHORTCUTS.open];

interface KeyParts extends RowListProps {
  /** Place of the first row on the screen. */
  readonly from: number;
  /** Place after the last row on the screen. */
  readonly to: number;
}

/** Handles one of {@link KEYS} in a list that is open. */
function moveByKey(key: string, {entries, from, to, onOpen}: KeyParts): void {
  const rows = entries.rows.value;
  const active = entries.active.value === undefined ? undefined : rows.find(entries.active.value);
  if (key === 'Enter') {
    if (active !== undefined) onOpen(active);
    return;
  }
  if (key === 'Home' || key === 'End') {
    void entries.goTo(key === 'Home' ? 'start' : 'end');
    return;
  }
  const count = key.startsWith('Page') ? to - from - 1 : 1;
  const step = key.endsWith('Down') ? count : -count;
  const {first, rows: loaded} = rows;
  const last = first.value + loaded.value.length - 1;
  const place = active === undefined ? from : (rows.placeOf(active.key) ?? from) + step;
  const next = rows.at(Math.min(last, Math.max(first.value, place)));
  if (next !== undefined) entries.active.value = next.key;
}

interface RowLineProps {
  readonly row: Row;
  readonly place: number;
  readonly entries: EntriesState;
  readonly onOpen: () => void;
}

function RowLine({row, place, entries, onOpen}: RowLineProps) {
  const {prefix, active, open} = entries;
  const {opensAtEnd, isStart, isEnd, places} = entries.rows.value;
  // Places are distances from where the list was opened.
  const isCounted = !opensAtEnd || isStart.value;
  const isActive = active.value === row.key;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the list, which has the focus.
    <div
      class="row"
      role="option"
      tabIndex={-1}
      id={isActive ? 'active-row' : undefined}
      data-active={isActive}
      aria-selected={open.value?.key === row.key}
      aria-posinset={isCounted ? place + 1 : undefined}
      aria-setsize={isCounted && isEnd.value ? places.value : -1}
      title={row.key}
      style={{top: `${place * ROW_PIXELS}px`}}
      onClick={onOpen}
    >
      <span class="hidden">{row.key}</span>
      <RowKey text={row.key} prefixLength={prefix.value.length} />
      {row.kind === 'entry' && <RowFacts entry={row.entry} />}
    </div>
  );
}

/** Characters at the end of a key that stay when its middle is left out. */
const TAIL_LENGTH = 14;

/** A key in two parts, so that its middle can be left out. What the user searched for is quiet. */
function RowKey({text, prefixLength}: {readonly text: string; readonly prefixLength: number}) {
  const cut = Math.max(prefixLength, text.length - TAIL_LENGTH);
  // Never between the halves of a character.
  const end = /^[\udc00-\udfff]/.test(text.slice(cut)) ? cut - 1 : cut;
  return (
    <bdi class="row-key" aria-hidden="true">
      <span class="row-head">
        <span class="quiet">
          <Marked text={text.slice(0, prefixLength)} />
        </span>
        <Marked text={text.slice(prefixLength, end)} />
      </span>
      <Marked text={text.slice(end)} />
    </bdi>
  );
}

function RowFacts({entry}: {readonly entry: Extract<Row, {kind: 'entry'}>['entry']}) {
  return (
    <>
      <span class="row-expiry quiet">{entry.expiresAt !== undefined && 'expires'}</span>
      <span class="row-size quiet">{formatBytes(entry.sizeBytes)}</span>
      <time class="row-time" dateTime={entry.updatedAt}>
        {formatMoment(entry.updatedAt)}
      </time>
    </>
  );
}
