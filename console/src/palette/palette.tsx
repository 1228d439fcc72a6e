import './palette.css';
import {useEffect, useId, useLayoutEffect, useMemo, useRef} from 'preact/hooks';
import {Dialog} from '../shell/dialog.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {isPressed, SHORTCUTS} from '../shell/keys/shortcuts.ts';
import {Marked} from '../shell/marked.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import type {Command} from './match-commands.ts';
import {PaletteState} from './palette-state.ts';

export interface PaletteProps {
  readonly state: ConsoleState;
  readonly onClose: () => void;
  /** Called to show the list of shortcuts in place of the palette. */
  readonly onShortcuts: () => void;
}

/** Commands that Page up and Page down pass over. */
const PAGE = 8;

/** A dialog that finds pages, plugins, keys, pilots and faults by what the user types, and leads there. */
export function Palette({state, onClose, onShortcuts}: PaletteProps) {
  const palette = useMemo(() => new PaletteState(state), [state]);
  useEffect(() => {
    void palette.load();
    return () => palette.leave();
  }, [palette]);
  const id = useId();
  const run = async ({action}: Command): Promise<void> => {
    if (action.kind === 'shortcuts') return onShortcuts();
    if (action.kind === 'change') return void ((await palette.changes.send(action.path, action.parts)) && onClose());
    // Closed at once, so that it gives the focus back before the page that the user goes to takes it.
    document.querySelector<HTMLDialogElement>('dialog.palette')?.close();
    onClose();
    location.href = action.href;
    document.querySelector<HTMLElement>('#content')?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    const chosen = palette.found.value[palette.place.value];
    if (isPressed(event, SHORTCUTS.find)) onClose();
    else if (isPressed(event, SHORTCUTS.step)) palette.move(event.key === 'ArrowDown' ? 1 : -1);
    else if (isPressed(event, SHORTCUTS.page)) palette.move(event.key === 'PageDown' ? PAGE : -PAGE);
    else if (!isPressed(event, SHORTCUTS.open)) return;
    // A key that is held down opened the palette.
    else if (chosen !== undefined && !event.repeat) void run(chosen);
    event.preventDefault();
  };
  const failure = palette.changes.failure.value;
  const count = palette.found.value.length;
  return (
    <Dialog title="Find" onClose={onClose} isLight name="palette">
      <input
        type="text"
        role="combobox"
        aria-label="Page, plugin, key, pilot or fault"
        aria-expanded={count > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={count === 0 ? undefined : `${id}-${palette.place.value}`}
        autocomplete="off"
        spellcheck={false}
        placeholder="Page, plugin, key, pilot or fault"
        value={palette.text.value}
        onInput={event => palette.search(event.currentTarget.value)}
        onKeyDown={press}
      />
      {failure !== undefined && <FailureNote failure={failure} />}
      <Found id={id} palette={palette} onRun={command => void run(command)} />
      <p class="palette-foot quiet" role="status">
        {count > 0 ? `${count} found` : palette.isLooking.value ? 'Looking for keys…' : NOTHING}
      </p>
    </Dialog>
  );
}

const NOTHING = 'Nothing found. Keys are found by their beginning.';

interface FoundProps {
  readonly id: string;
  readonly palette: PaletteState;
  readonly onRun: (command: Command) => void;
}

/** The commands that are found, under the headings of their groups. */
function Found({id, palette, onRun}: FoundProps) {
  const commands = palette.found.value;
  const groups = [...new Set(commands.map(({group}) => group))];
  return (
    <div class="palette-list" id={id} role="listbox" aria-label="Found">
      {groups.map(group => (
        // biome-ignore lint/a11y/useSemanticElements: a list box has groups of options, and no sets of fields.
        <div key={group} role="group" aria-label={group}>
          <p class="quiet" aria-hidden="true">
            {group}
          </p>
          {commands.map(
            (command, place) =>
              command.group === group && (
                <Option
                  key={`${command.name} ${place}`}
                  id={`${id}-${place}`}
                  command={command}
                  isChosen={place === palette.place.value}
                  onRun={() => onRun(command)}
                />
              ),
          )}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly command: Command;
  readonly isChosen: boolean;
  readonly onRun: () => void;
}

function Option({id, command: {name, about}, isChosen, onRun}: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isChosen) element.current?.scrollIntoView({block: 'nearest'});
  }, [isChosen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field, which has the focus, handles the keys.
    <div
      class="palette-option"
      id={id}
      ref={element}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onClick={onRun}
    >
      <Marked text={name} />
      {about !== undefined && <span class="quiet">{about}</span>}
    </div>
  );
}
