import {effect} from '@preact/signals';
import {readableForeground} from '../state/appearance.ts';
import type {ConsoleState} from '../state/console-state.ts';

/** Shows the theme of the settings and the colours of the airline, now and after each change. @returns A function that stops it. */
export function followAppearance({core, theme, identity, colors}: ConsoleState): () => void {
  return effect(() => {
    // Before the settings are known, the page has the theme with which the service sent it.
    const scheme = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]');
    if (core.value.value !== undefined && scheme !== null) scheme.content = theme.value;
    // Without a pilot there is no airline: the console then has colours of its own.
    const isKnown = identity.value.value !== undefined && identity.value.value !== null;
    const {style} = document.documentElement;
    style.setProperty('--airline-background', isKnown ? colors.value.background : '');
    style.setProperty('--airline-foreground', isKnown ? readableForeground(colors.value) : '');
  });
}
