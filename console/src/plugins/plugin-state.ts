import type {Plugin} from '../service/documents.ts';

/** States in words; the service may have further ones, which are shown as they are. */
const LABELS: Readonly<Record<string, string>> = {
  'page-only': 'Page only',
  waiting: 'Waiting for a pilot',
  starting: 'Starting',
  running: 'Running',
  restarting: 'Restarting',
  stopped: 'Stopped',
  broken: 'Broken',
};

/** Returns the state of a plugin in words. */
export function stateLabel({state}: Pick<Plugin, 'state'>): string {
  return LABELS[state] ?? state;
}

/** Returns whether a user should look at a plugin. */
export function isTroubled({state}: Pick<Plugin, 'state'>): boolean {
  return state === 'broken' || state === 'stopped' || state === 'restarting';
}
