import {type Signal, signal} from '@preact/signals';
import {useLayoutEffect, useRef} from 'preact/hooks';
import {isPressed, type Shortcut} from './shortcuts.ts';

/** False if the user has switched keys without Ctrl or Cmd off, or may have: who speaks to a computer presses them by chance (WCAG 2.2, 2.1.4). */
export const plainKeys: Signal<boolean> = signal(false);

/**
 * Runs something when a shortcut is pressed, as long as the component is shown. Not while a dialog is open, which has the keys for itself; and not
 * while the user is typing, unless the shortcut has Ctrl or Cmd, or is Escape.
 *
 * @param isOn False while the shortcut has no meaning. @default {true}
 */
export function useShortcut(shortcut: Shortcut, run: () => void, isOn: boolean = true): void {
  const latest = useRef(run);
  latest.current = run;
  // Before the next key, which would be lost otherwise.
  useLayoutEffect(() => {
    if (!isOn) return;
    const types = shortcut.withControl === undefined && !shortcut.keys.includes('Escape');
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !isPressed(event, shortcut) || (types && (!plainKeys.value || isTyped(event))))
        return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [shortcut, isOn]);
}

/** Returns whether a key is typed into a field, also into one in a shadow tree. */
function isTyped(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
