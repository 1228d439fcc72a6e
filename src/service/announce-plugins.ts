import type {Announcer} from '../domain/commits/event.ts';
import {FLIGHT_TRACKING_ID, type Flight} from '../domain/plugins/flight.ts';
import type {Plugins} from '../domain/plugins/plugin.ts';

/** Announces to subscribers that a simulated flight was started or ended, as a state of the plugin for which it stands in. */
export function announceFlight(flight: Flight, events: Announcer): void {
  flight.onChange(() => {
    const running = flight.status() === undefined ? {} : ({state: 'running'} as const);
    events.announce({kind: 'plugin-state', plugin: FLIGHT_TRACKING_ID, ...running});
  });
}

/** Announces states and log lines of plugins to subscribers. */
export function announcePlugins(plugins: Plugins, events: Announcer): void {
  plugins.onState(plugin => {
    const {state, page} = plugins.list().find(({id}) => id === plugin) ?? {};
    const known = {...(state === undefined ? {} : {state}), ...(page === undefined ? {} : {page})};
    events.announce({kind: 'plugin-state', plugin, ...known});
  });
  plugins.onLog((plugin, line) => events.announce({kind: 'plugin-log', plugin, ...line}));
}
