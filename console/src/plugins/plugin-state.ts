import type {Plugin} from '../service/documents.ts';

/** States in words; the service may have further ones, which are shown as they are. */
const LABELS: Readonly<Record<string, string>> = {
  'page-only': 'Page only',
  waiting: 'Waiting for a pilot',
  'not-built': 'Not built',
  starting: 'Starting',
  running: 'Running',
  restarting: 'Restarting',
  stopped: 'Stopped',
  broken: 'Broken',
};

type StateParts = Pick<Plugin, 'state' | 'error'>;

/** Returns the state of a plugin in words. */
export function stateLabel(plugin: StateParts): string {
  const label = LABELS[plugin.state] ?? plugin.state;
  return runsWithError(plugin) ? `${label}, with an error` : label;
}

/** How much attention a plugin needs: `danger` if it does not run, `warning` if not as it should; else undefined. */
export function troubleOf(plugin: StateParts): 'danger' | 'warning' | undefined {
  const {state} = plugin;
  if (state === 'broken' || state === 'stopped') return 'danger';
  return state === 'restarting' || state === 'not-built' || runsWithError(plugin) ? 'warning' : undefined;
}

function runsWithError({state, error}: StateParts): boolean {
  return (state === 'running' || state === 'page-only') && error !== undefined;
}
