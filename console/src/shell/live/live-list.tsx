import {type Signal, useSignal} from '@preact/signals';
import {Component, type ComponentChildren, type RefObject} from 'preact';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import {isPressed, SHORTCUTS} from '../keys/shortcuts.ts';
import type {LiveLine, LiveLines} from './live-lines.ts';

/** Distance from the end, in pixels, within which the list stays at its end. */
const END_PIXELS = 40;

/** Less than the height of a line, in pixels: while the list stays at its end, more lines are rendered than it shows, and none above those. */
const LINE_PIXELS = 16;

interface LiveListProps<T> {
  readonly lines: LiveLines<T>;
  /** Name of the list, for people who do not see it. */
  readonly label: string;
  /** Shown while there is no line. */
  readonly empty: ComponentChildren;
  /** Id of the line that is marked. */
  readonly selected?: number | undefined;
  /** Returns the content of a line. Has to depend on nothing that changes. */
  readonly children: (line: LiveLine<T>, isSelected: boolean) => ComponentChildren;
}

/**
 * A list that grows by itself. It stays at its end unless the user scrolls up; then new lines wait. If lines have buttons, the arrow keys
 * move between these.
 */
export function LiveList<T>({lines, label, empty, selected, children}: LiveListProps<T>) {
  const element = useRef<HTMLElement>(null);
  const height = useSignal(innerHeight);
  const shown = lines.shown.value;
  const isHeld = lines.isHeld.value;
  const excess = isHeld ? 0 : Math.max(0, shown.length - Math.ceil(height.value / LINE_PIXELS));
  const used = findUsed();
  const place = shown.findIndex(({id}) => id === selected || used.includes(id));
  const above = place === -1 ? excess : Math.min(excess, place);
  const rendered = shown.slice(above);
  const firstKey = useFirstKey(rendered, shown[place], isHeld);
  useStayAtEnd(element, lines, height);
  return (
    <section
      class="live"
      data-home
      ref={element}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached with the keyboard.
      tabIndex={0}
      aria-label={label}
      onKeyDown={event => moveFocus(event, element.current, lines)}
    >
      {shown.length === 0 && empty}
      {above > 0 && <div class="live-above" style={{height: `calc(${above} * (1lh + 0.2rem + 1px))`}} />}
      {rendered.map((line, index) => (
        <Row key={firstKey + index} line={line} isSelected={line.id === selected} content={children} />
      ))}
    </section>
  );
}

interface RowProps<T> {
  readonly line: LiveLine<T>;
  readonly isSelected: boolean;
  readonly content: (line: LiveLine<T>, isSelected: boolean) => ComponentChildren;
}

/** One line. It is not rendered again while a thousand others change. */
class Row<T> extends Component<RowProps<T>> {
  override shouldComponentUpdate({line, isSelected}: RowProps<T>): boolean {
    return line !== this.props.line || isSelected !== this.props.isSelected;
  }

  override render({line, isSelected, content}: RowProps<T>) {
    const {missing} = line;
    return (
      <>
        {missing > 0 && (
          <p class="live-gap">
            {missing === 1 ? '1 line is left out' : `${missing.toLocaleString('en')} lines are left out`}
          </p>
        )}
        <div class="live-line" data-selected={isSelected} data-line={line.id}>
          {content(line, isSelected)}
        </div>
      </>
    );
  }
}

/**
 * Returns the key of the first line that is rendered. Keys are places: an element that shows another line costs less than a new one. But elements move
 * along with a line that is used, and with all once these wait, and those of a used line that is gone are not used again.
 */
function useFirstKey<T>(rendered: readonly LiveLine<T>[], line: LiveLine<T> | undefined, isHeld: boolean): number {
  const last = useRef({firstKey: 0, rendered});
  const {rendered: before} = last.current;
  const kept = line ?? (isHeld ? before[0] : undefined);
  const [from = -1, to = -1] = [before, rendered].map(each => each.findIndex(({id}) => id === kept?.id));
  if (Math.min(from, to) >= 0) last.current.firstKey += from - to;
  else if (findUsed().length > 0) last.current.firstKey += before.length;
  last.current.rendered = rendered;
  return last.current.firstKey;
}

/** Returns the ids of lines that the user uses: one that is pressed, one with the focus, and those with an end of the selected text. */
function findUsed(): readonly number[] {
  const text = getSelection();
  const ends = text === null || text.isCollapsed ? [] : [text.anchorNode, text.focusNode];
  const ids = [document.querySelector('.live-line:active'), document.activeElement, ...ends].map(node => {
    const element = node instanceof Element ? node : node?.parentElement;
    return element?.closest<HTMLElement>('.live-line')?.dataset['line'];
  });
  return ids.filter(id => id !== undefined).map(Number);
}

/** Keeps the list at its end, and lets new lines wait while the user looks at older ones. */
function useStayAtEnd<T>(element: RefObject<HTMLElement | null>, lines: LiveLines<T>, height: Signal<number>): void {
  const stay = (): void => {
    if (element.current !== null && !lines.isScrolledUp.peek())
      element.current.scrollTop = element.current.scrollHeight;
  };
  useLayoutEffect(stay, [lines.shown.value, lines.isHeld.value]);
  /** Distance from the upper edge to the end of the list, in pixels, when it was scrolled last. */
  const toEnd = useRef(0);
  useLayoutEffect(() => {
    const list = element.current;
    if (list === null || !lines.isScrolledUp.peek()) return;
    // The lines above are rendered now, and seldom as high as was estimated. Safari does not keep those below in place by itself.
    if (getComputedStyle(list).overflowAnchor !== 'auto') list.scrollTop = list.scrollHeight - toEnd.current;
  }, [lines.isScrolledUp.value]);
  useEffect(() => {
    const list = element.current;
    if (list === null) return;
    const onScroll = (): void => {
      toEnd.current = list.scrollHeight - list.scrollTop;
      lines.isScrolledUp.value = toEnd.current - list.clientHeight >= END_PIXELS;
    };
    const measure = (): void => {
      height.value = list.clientHeight;
      stay();
    };
    const left = new AbortController();
    list.addEventListener('scroll', onScroll, {signal: left.signal});
    // On paper the list is as high as all of its lines.
    addEventListener('beforeprint', () => (height.value = Infinity), {signal: left.signal});
    addEventListener('afterprint', measure, {signal: left.signal});
    const observer = new ResizeObserver(measure);
    observer.observe(list);
    return () => {
      observer.disconnect();
      left.abort();
      lines.isScrolledUp.value = false;
    };
  }, [lines, height]);
}

/** Moves the focus between the buttons of lines. */
function moveFocus<T>(event: KeyboardEvent, list: HTMLElement | null, lines: LiveLines<T>): void {
  const findButtons = () => [...(list?.querySelectorAll<HTMLElement>('.live-button') ?? [])];
  const buttons = findButtons();
  const isMove = isPressed(event, SHORTCUTS.step) || isPressed(event, SHORTCUTS.ends);
  // All lines before the browser scrolls to the first one: it would miss that by what they are higher than was estimated.
  if (event.key === 'Home' && list?.querySelector('.live-above') !== null) lines.isScrolledUp.value = true;
  if (buttons.length === 0 || !isMove) return;
  const place = buttons.findIndex(button => button.contains(document.activeElement));
  const next = placeAfter(event.key, place, buttons.length - 1);
  if (next === undefined) return;
  event.preventDefault();
  buttons[next]?.focus();
  if (next > 0 || list?.querySelector('.live-above') === null) return;
  // The lines above, which are rendered at once.
  lines.isScrolledUp.value = true;
  queueMicrotask(() => {
    const all = findButtons();
    all[event.key === 'Home' ? 0 : all.indexOf(buttons[place] as HTMLElement) - 1]?.focus();
  });
}

/** Returns the place to which a key moves, -1 being that of the list itself; undefined for other keys. */
function placeAfter(key: string, place: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowUp':
      return place === -1 ? last : Math.max(0, place - 1);
    case 'ArrowDown':
      return place === -1 ? last : Math.min(last, place + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
