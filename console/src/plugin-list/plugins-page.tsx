import './plugin-list.css';
import {NoPlugins} from '../home/no-plugins.tsx';
import {formatRoute} from '../route.ts';
import {FailureNote} from '../shell/failure-note.tsx';
import {Loading} from '../shell/loading.tsx';
import type {PageProps} from '../shell/page-props.ts';
import {PluginSection} from './plugin-section.tsx';
import {useRefused} from './refused-note.tsx';

/** The plugins with all that is known of them, and the way to the simulated flight that they follow. */
export function PluginsPage({state}: PageProps) {
  const list = state.plugins.value.value;
  const failure = state.plugins.failure.value;
  const refused = useRefused(state);
  const isConnected = state.connection.status.value === 'connected';
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Plugins</h1>
      {isConnected && failure !== undefined && <FailureNote failure={failure} />}
      {list?.directoryProblem !== undefined && (
        <p class="note warning">
          Installed plugins are not used: <code>{list.directory}</code> {list.directoryProblem}
        </p>
      )}
      {list === undefined && failure === undefined && <Loading text="Looking for plugins…" />}
      {list?.plugins.length === 0 && <NoPlugins list={list} />}
      {list?.plugins.map(plugin => (
        <PluginSection key={plugin.id} plugin={plugin} state={state} refused={refused} />
      ))}
      <p>
        <a href={formatRoute({view: 'flight'})}>Flight</a>, which plugins see as if a simulator were connected
      </p>
    </section>
  );
}
