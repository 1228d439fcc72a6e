import {OverviewParts} from '../overview/overview-parts.tsx';
import {PluginIcon} from '../plugins/plugin-icon.tsx';
import {stateLabel} from '../plugins/plugin-state.ts';
import {formatRoute} from '../route.ts';
import type {Plugin, PluginList} from '../service/documents.ts';
import {FailureNote} from '../shell/failure-note.tsx';
import {Loading} from '../shell/loading.tsx';
import type {ConsoleState} from '../state/console-state.ts';

/** The first view: the pilot, the message of the airline, the plugins, and the service at a glance. */
export function Home({state}: {readonly state: ConsoleState}) {
  const identity = state.identity.value.value;
  const {value: list} = state.plugins.value;
  const failure = state.identity.failure.value ?? state.plugins.failure.value;
  const isConnected = state.connection.status.value === 'connected';
  return (
    <section class="page overview" aria-labelledby="home-title">
      <header>
        <h1 id="home-title">{identity ? `Welcome, ${identity.va_user.firstName}` : 'Crew room'}</h1>
        <AirlineMessage state={state} />
      </header>
      {isConnected && failure !== undefined && <FailureNote failure={failure} />}
      <OverviewParts state={state}>
        {list === undefined ? (
          <Loading text="Looking for plugins…" unless={failure} />
        ) : (
          <Plugins list={list} darkMode={state.darkMode.value} />
        )}
      </OverviewParts>
    </section>
  );
}

function Plugins({list, darkMode}: {readonly list: PluginList; readonly darkMode: boolean}) {
  return (
    <>
      {list.directoryProblem !== undefined && (
        <p class="note warning">
          Installed plugins are not used: <code>{list.directory}</code> {list.directoryProblem}
        </p>
      )}
      {list.plugins.length > 0 && (
        <ul class="plugin-cards">
          {list.plugins.map(plugin => (
            <PluginCard key={plugin.id} plugin={plugin} darkMode={darkMode} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Message of the airline to its pilots. */
function AirlineMessage({state}: {readonly state: ConsoleState}) {
  const {maintenanceMode, maintenanceModeMessage, welcomeMessage} = state.identity.value.value?.airline?.settings ?? {};
  if (maintenanceMode === true)
    return <p class="note warning">{maintenanceModeMessage || 'The airline is under maintenance.'}</p>;
  return welcomeMessage ? <p class="welcome">{welcomeMessage}</p> : null;
}

function PluginCard({plugin, darkMode}: {readonly plugin: Plugin; readonly darkMode: boolean}) {
  return (
    <li class="card plugin-card">
      <PluginIcon plugin={plugin} darkMode={darkMode} />
      <div class="plugin-card-text">
        <h2>
          <a href={formatRoute({view: 'plugin', id: plugin.id, tab: 'page'})}>{plugin.name}</a>
        </h2>
        {plugin.description !== '' && <p>{plugin.description}</p>}
        <p class="quiet">
          {plugin.version}{' '}
          <span class="state" data-state={plugin.state}>
            {stateLabel(plugin)}
          </span>{' '}
          {plugin.inDevelopment && <span class="state">In development</span>}
        </p>
        {plugin.reason !== undefined && <p class="quiet">{plugin.reason}</p>}
        {plugin.warnings.map(warning => (
          <p key={warning} class="quiet">
            {warning}
          </p>
        ))}
      </div>
    </li>
  );
}
