import {IS_MAC} from '../system.ts';

/** Keys with a meaning in the console. */
export interface Shortcut {
  /** Keys that do the same, each as `KeyboardEvent.key` names it. */
  readonly keys: readonly string[];
  /** True if they are pressed together with Ctrl, or on Macs with Cmd. @default {false} */
  readonly withControl?: true;
  /** Place in which they work, as a heading of the list of shortcuts. */
  readonly where: string;
  readonly does: string;
}

/** All shortcuts of the console: what they do is looked up here, and so is the list that `?` shows. */
export const SHORTCUTS = {
  find: {keys: ['k'], withControl: true, where: 'Everywhere', does: 'Find a page, a plugin, a key, a pilot or a fault'},
  help: {keys: ['?'], where: 'Everywhere', does: 'Show these shortcuts'},
  leave: {keys: ['Escape'], where: 'Everywhere', does: 'Close what is open: the menu, a dialog, an entry, details'},
  search: {keys: ['/'], where: 'Entries', does: 'Go to the search'},
  step: {keys: ['ArrowUp', 'ArrowDown'], where: 'Lists', does: 'Move by one line'},
  page: {keys: ['PageUp', 'PageDown'], where: 'Lists', does: 'Move by one screen'},
  ends: {keys: ['Home', 'End'], where: 'Lists', does: 'Go to the first or the last line'},
  open: {keys: ['Enter'], where: 'Lists', does: 'Open the line'},
  save: {keys: ['s'], withControl: true, where: 'An open entry', does: 'Save'},
} as const satisfies Readonly<Record<string, Shortcut>>;

/** A key that is pressed, with its modifiers. */
export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** True while an input method puts a word together: the key is a part of that. */
  readonly isComposing: boolean;
}

/** Returns whether a key is one of a shortcut, with its modifiers. @param isMac True if the modifier is Cmd, since Ctrl edits text. */
export function isPressed(pressed: PressedKey, {keys, withControl}: Shortcut, isMac: boolean = IS_MAC): boolean {
  const {key, ctrlKey, metaKey, altKey, shiftKey, isComposing} = pressed;
  // Caps lock changes letters.
  const isKey = keys.includes(key) || (key.length === 1 && keys.includes(key.toLowerCase()));
  if (!isKey || altKey || isComposing) return false;
  if (withControl === undefined) return !ctrlKey && !metaKey;
  return !shiftKey && (isMac ? metaKey && !ctrlKey : ctrlKey || metaKey);
}

/** Signs of keys whose names are longer. */
const SIGNS: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
};

/** Returns the keys of a shortcut as keyboards name them. @param isMac True if the modifier is Cmd. */
export function keyNames({keys, withControl}: Shortcut, isMac: boolean): readonly string[] {
  const modifier = withControl === true ? [isMac ? '⌘' : 'Ctrl'] : [];
  return [...modifier, ...keys.map(key => SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key))];
}
