import {describeFault, FAULT_KINDS} from '../faults/fault-kinds.ts';
import {additionOf, FAULTS_PATH} from '../faults/faults-state.ts';
import {formatRoute, type Route, SERVICE_PAGES} from '../route.ts';
import type {Fault, Pilot, Plugin} from '../service/documents.ts';
import {PAGE_NAMES} from '../shell/service-page.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import type {Command, CommandAction} from './match-commands.ts';

/** Returns all commands but those of keys, which only the service knows. */
export function commandsOf(state: ConsoleState, pilots: readonly Pilot[]): readonly Command[] {
  const plugins = state.plugins.value.value?.plugins ?? [];
  return [...pageCommands(), ...plugins.flatMap(pluginCommands), ...pilots.map(pilotCommand), ...faultCommands(state)];
}

function pageCommands(): readonly Command[] {
  return [
    goTo('Pages', 'Overview', {view: 'home'}),
    ...SERVICE_PAGES.map(view => goTo('Pages', PAGE_NAMES[view], {view})),
    goTo('Pages', 'Notifications', {view: 'notifications'}),
    goTo('Pages', 'Settings', {view: 'settings'}),
    {group: 'Pages', name: 'Documentation', about: 'docs, guides, API', action: {kind: 'go', href: '/docs'}},
    {group: 'Pages', name: 'Shortcuts', about: 'keys, keyboard, help', action: {kind: 'shortcuts'}},
  ];
}

function pluginCommands({id, name}: Plugin): readonly Command[] {
  const to = (tab: 'page' | 'settings' | 'log', label: string) => goTo('Plugins', label, {view: 'plugin', id, tab}, id);
  return [to('page', name), to('settings', `${name}: settings`), to('log', `${name}: log`)];
}

function pilotCommand({name, description}: Pilot): Command {
  const parts = {method: 'PUT', body: {name}} as const;
  const action = {kind: 'change', path: '/api/pilots/current', parts} as const;
  return {group: 'Pilots', name: `Serve ${name}`, about: description, action};
}

/** Each kind of fault with the value that its form begins with. Only the owner switches faults: others are led to their page. */
function faultCommands({isOwner, faults}: ConsoleState): readonly Command[] {
  const active = faults.value.value?.faults ?? [];
  const page: CommandAction = {kind: 'go', href: formatRoute({view: 'faults'})};
  const kinds = Object.entries(FAULT_KINDS).map(([kind, {effect, value}]): Command => {
    const initial = value?.type === 'number' ? Number(value.initial) : value?.initial;
    const fault = {kind, ...(value === undefined ? {} : {[value.member]: initial})} as Fault;
    return {
      group: 'Faults',
      name: `Switch on ${describeFault(fault)}`,
      about: effect,
      action: isOwner.value ? {kind: 'change', path: FAULTS_PATH, parts: additionOf(fault)} : page,
    };
  });
  if (active.length === 0 || !isOwner.value) return kinds;
  const clear: CommandAction = {kind: 'change', path: FAULTS_PATH, parts: {method: 'DELETE'}};
  return [
    {group: 'Faults', name: 'Clear all faults', about: active.map(describeFault).join(', '), action: clear},
    ...kinds,
  ];
}

/** Returns the command that opens an entry. */
export function keyCommand(key: string): Command {
  return goTo('Keys', key, {view: 'entries', key});
}

function goTo(group: Command['group'], name: string, route: Route, about?: string): Command {
  return {group, name, about, action: {kind: 'go', href: formatRoute(route)}};
}
