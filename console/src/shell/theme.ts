import {effect} from '@preact/signals';
import {readableForeground} from '../state/appearance.ts';
import type {ConsoleState} from '../state/console-state.ts';

/** Key of the theme that was last shown, with which the next page begins. */
const STORAGE_KEY = 'crewroom-theme';

/** Returns the theme with which the page begins, before the settings are known: the last one, or that of the system. */
export function rememberedTheme(): string {
  const remembered = read();
  if (remembered === 'dark' || remembered === 'light') return remembered;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Shows the theme of the settings and the colours of the airline, now and after each change. @returns A function that stops it. */
export function followAppearance({core, identity, darkMode, colors}: ConsoleState): () => void {
  return effect(() => {
    const {dataset, style} = document.documentElement;
    if (core.value.value !== undefined) {
      dataset['theme'] = darkMode.value ? 'dark' : 'light';
      write(dataset['theme']);
    }
    // Without a pilot there is no airline: the console then has colours of its own.
    const isKnown = identity.value.value !== undefined && identity.value.value !== null;
    style.setProperty('--airline-background', isKnown ? colors.value.background : '');
    style.setProperty('--airline-foreground', isKnown ? readableForeground(colors.value) : '');
  });
}

/** Browsers that keep nothing throw. */
function read(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function write(theme: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // The next page begins with the theme of the system.
  }
}
