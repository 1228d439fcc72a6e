import type {Announcer} from '../domain/event.ts';
import type {Plugins} from '../domain/plugin.ts';

/** Announces states and log lines of plugins to subscribers. */
export function announcePlugins(plugins: Plugins, events: Announcer): void {
  plugins.onState(plugin => {
    const state = plugins.list().find(({id}) => id === plugin)?.state;
    events.announce({kind: 'plugin-state', plugin, ...(state === undefined ? {} : {state})});
  });
  plugins.onLog((plugin, line) => events.announce({kind: 'plugin-log', plugin, ...line}));
}
