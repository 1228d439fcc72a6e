import type {Announcer} from '../domain/commits/event.ts';
import type {Plugins} from '../domain/plugins/plugin.ts';

/** Announces states and log lines of plugins to subscribers. */
export function announcePlugins(plugins: Plugins, events: Announcer): void {
  plugins.onState(plugin => {
    const {state, page} = plugins.list().find(({id}) => id === plugin) ?? {};
    const known = {...(state === undefined ? {} : {state}), ...(page === undefined ? {} : {page})};
    events.announce({kind: 'plugin-state', plugin, ...known});
  });
  plugins.onLog((plugin, line) => events.announce({kind: 'plugin-log', plugin, ...line}));
}
