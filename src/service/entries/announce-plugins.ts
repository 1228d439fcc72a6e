import type {Announcer} from '../../core/domain/commits/event.ts';
import {FLIGHT_TRACKING_ID, type Flight} from '../../core/domain/plugins/flight.ts';
import type {Plugins} from '../../core/domain/plugins/plugin.ts';

/** Announces states and log lines of plugins to subscribers. A simulated flight that was started or ended is a state of the plugin for which it stands in. */
export function announcePlugins(
  {plugins, flight}: {readonly plugins: Plugins; readonly flight: Flight},
  events: Announcer,
): void {
  plugins.onState(plugin => {
    const {state, page} = plugins.list().find(({id}) => id === plugin) ?? {};
    const known = {...(state === undefined ? {} : {state}), ...(page === undefined ? {} : {page})};
    events.announce({kind: 'plugin-state', plugin, ...known});
  });
  plugins.onLog((plugin, line) => events.announce({kind: 'plugin-log', plugin, ...line}));
  flight.onChange(() => {
    const running = flight.status() === undefined ? {} : ({state: 'running'} as const);
    events.announce({kind: 'plugin-state', plugin: FLIGHT_TRACKING_ID, ...running});
  });
}
