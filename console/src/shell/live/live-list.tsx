import {Component, type ComponentChildren, type RefObject} from 'preact';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import {isPressed, SHORTCUTS} from '../keys/shortcuts.ts';
import type {LiveLine, LiveLines} from './live-lines.ts';

/** Distance from the end, in pixels, within which the list stays at its end. */
const END_PIXELS = 40;

interface LiveListProps<T> {
  readonly lines: LiveLines<T>;
  /** Name of the list, for people who do not see it. */
  readonly label: string;
  /** Shown while there is no line. */
  readonly empty: ComponentChildren;
  /** Id of the line that is marked. */
  readonly selected?: number | undefined;
  /** Returns the content of a line. Has to be the same function each time. */
  readonly children: (line: LiveLine<T>, isSelected: boolean) => ComponentChildren;
}

/**
 * A list that grows by itself. It stays at its end unless the user scrolls up; then new lines wait. If lines have buttons, the arrow keys
 * move between these.
 */
export function LiveList<T>({lines, label, empty, selected, children}: LiveListProps<T>) {
  const element = useRef<HTMLElement>(null);
  const shown = lines.shown.value;
  useStayAtEnd(element, lines);
  return (
    <section
      class="live"
      data-home
      ref={element}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached with the keyboard.
      tabIndex={0}
      aria-label={label}
      onKeyDown={event => moveFocus(event, element.current)}
    >
      {shown.length === 0 && empty}
      {shown.map(line => (
        <Row key={line.id} line={line} isSelected={line.id === selected} content={children} />
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
        <div class="live-line" data-selected={isSelected}>
          {content(line, isSelected)}
        </div>
      </>
    );
  }
}

/** Keeps the list at its end, and lets new lines wait while the user looks at older ones. */
function useStayAtEnd<T>(element: RefObject<HTMLElement | null>, lines: LiveLines<T>): void {
  const stay = (): void => {
    if (element.current !== null && !lines.isScrolledUp.peek())
      element.current.scrollTop = element.current.scrollHeight;
  };
  useLayoutEffect(stay, [lines.shown.value, lines.isScrolledUp.value]);
  useEffect(() => {
    const list = element.current;
    if (list === null) return;
    const onScroll = (): void => {
      lines.isScrolledUp.value = list.scrollHeight - list.scrollTop - list.clientHeight >= END_PIXELS;
    };
    list.addEventListener('scroll', onScroll);
    const observer = new ResizeObserver(stay);
    observer.observe(list);
    return () => {
      observer.disconnect();
      list.removeEventListener('scroll', onScroll);
      lines.isScrolledUp.value = false;
    };
  }, [lines]);
}

/** Moves the focus between the buttons of lines. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  const buttons = [...(list?.querySelectorAll<HTMLElement>('.live-button') ?? [])];
  const isMove = isPressed(event, SHORTCUTS.step) || isPressed(event, SHORTCUTS.ends);
  if (buttons.length === 0 || !isMove) return;
  const place = buttons.findIndex(button => button.contains(document.activeElement));
  const next = placeAfter(event.key, place, buttons.length - 1);
  if (next === undefined) return;
  event.preventDefault();
  buttons[next]?.focus();
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
