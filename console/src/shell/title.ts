import {effect} from '@preact/signals';
import {TAB_NAMES} from '../route.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {announce} from './announcer.ts';
import {withoutOrdering} from './marked.tsx';
import {PAGE_NAMES} from './service-page.tsx';

/** Keeps the title of the window: the view, and the number of new notices if the user wants it. Reads another view out. @returns A function that stops it. */
export function followTitle(state: ConsoleState): () => void {
  let shown: string | undefined;
  return effect(() => {
    const {unseen} = state.notices;
    const showsCount = state.core.value.value?.['flashWindow'] !== false && unseen.value > 0;
    const names = namesOf(state);
    // An entry says its key itself, when its heading gets the focus.
    const name = state.route.value.view === 'entries' ? PAGE_NAMES.entries : names.join(', ') || 'Overview';
    document.title = (showsCount ? `(${unseen.value}) ` : '') + withoutOrdering([...names, 'Crewroom'].join(' – '));
    if (shown !== undefined && shown !== name) announce(name);
    shown = name;
  });
}

/** Names the view, and what it is a part of. */
function namesOf(state: ConsoleState): readonly string[] {
  const route = state.route.value;
  switch (route.view) {
    case 'home':
      return [];
    case 'notifications':
      return ['Notifications'];
    case 'settings':
      return ['Settings'];
    case 'unknown':
      return ['No such page'];
    case 'plugin':
      return [...(route.tab === 'page' ? [] : [TAB_NAMES[route.tab]]), state.plugin(route.id)?.name ?? route.id];
    case 'entries':
      return [...(route.key === undefined ? [] : [route.key]), PAGE_NAMES.entries];
    default:
      return [PAGE_NAMES[route.view]];
  }
}
