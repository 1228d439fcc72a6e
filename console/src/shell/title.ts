import {effect} from '@preact/signals';
import type {ConsoleState} from '../state/console-state.ts';
import {PAGE_NAMES} from './service-page.tsx';

/** Keeps the title of the window: the view, and the number of new notices if the user wants it. @returns A function that stops it. */
export function followTitle(state: ConsoleState): () => void {
  return effect(() => {
    const {unseen} = state.notices;
    const showsCount = state.core.value.value?.['flashWindow'] !== false && unseen.value > 0;
    document.title = [showsCount ? `(${unseen.value}) ` : '', nameOf(state), 'Crewroom'].join('');
  });
}

function nameOf(state: ConsoleState): string {
  const route = state.route.value;
  switch (route.view) {
    case 'home':
      return '';
    case 'notifications':
      return 'Notifications – ';
    case 'settings':
      return 'Settings – ';
    case 'plugin':
      return `${state.plugin(route.id)?.name ?? route.id} – `;
    default:
      return `${PAGE_NAMES[route.view]} – `;
  }
}
