import {useEffect} from 'preact/hooks';
import {formatRoute, type PluginTab, TAB_NAMES} from '../route.ts';
import type {Plugin, SettingValues} from '../service/documents.ts';
import {SettingsForm} from '../settings/settings-form.tsx';
import {Command} from '../shell/command.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {crewroomCommand} from '../shell/format/example-commands.ts';
import {Loading} from '../shell/loading.tsx';
import {Marked} from '../shell/marked.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import {rememberShown} from '../state/opener.ts';
import {ErrorOverlay} from './error-overlay.tsx';
import {PluginFrame} from './plugin-frame.tsx';
import {ownPrefix} from './plugin-links.tsx';
import {PluginLog} from './plugin-log.tsx';
import {stateLabel, troubleOf} from './plugin-state.ts';
import {RestartButton} from './restart-button.tsx';
import {StateMark} from './state-mark.tsx';

interface PluginViewProps {
  readonly state: ConsoleState;
  readonly id: string;
  readonly tab: PluginTab;
}

/** A plugin: its page, its settings, or its log. */
export function PluginView({state, id, tab}: PluginViewProps) {
  const plugin = state.plugin(id);
  const failure = state.plugins.failure.value;
  if (state.plugins.value.value === undefined)
    return failure === undefined ? <Loading name="page" /> : <FailureNote failure={failure} />;
  if (plugin === undefined) return <NoSuchPlugin id={id} />;
  return (
    <section class="plugin" aria-labelledby="plugin-title">
      <PluginHead plugin={plugin} tab={tab} />
      <Tab plugin={plugin} state={state} tab={tab} />
    </section>
  );
}

function NoSuchPlugin({id}: {readonly id: string}) {
  return (
    <section class="page" aria-labelledby="plugin-title">
      <h1 id="plugin-title">No such plugin</h1>
      <EmptyState glyph="plugins" title="It may have been removed, or not be installed yet.">
        <p>
          There is no plugin <code>{id}</code>. These are <a href={formatRoute({view: 'plugins'})}>the plugins</a>. To
          install one:
        </p>
        <Command text={crewroomCommand('plugin install my-plugin.zip')} />
      </EmptyState>
    </section>
  );
}

function PluginHead({plugin, tab}: {readonly plugin: Plugin; readonly tab: PluginTab}) {
  return (
    <header class="plugin-head">
      <h1 id="plugin-title">{plugin.name}</h1>
      <StateMark plugin={plugin} />
      <nav class="tabs" aria-label={`Views of ${plugin.name}`}>
        {(Object.keys(TAB_NAMES) as PluginTab[]).map(each => (
          <a
            key={each}
            href={formatRoute({view: 'plugin', id: plugin.id, tab: each})}
            aria-current={each === tab ? 'page' : undefined}
          >
            {TAB_NAMES[each]}
          </a>
        ))}
        <a href={formatRoute({view: 'entries', prefix: ownPrefix(plugin.id)})}>Entries</a>
        <a href={formatRoute({view: 'requests', plugin: plugin.id})}>Requests</a>
      </nav>
    </header>
  );
}

interface PluginProps {
  readonly plugin: Plugin;
  readonly state: ConsoleState;
}

function Tab({plugin, state, tab}: PluginProps & {readonly tab: PluginTab}) {
  if (plugin.state === 'broken' && tab !== 'log') return <About plugin={plugin} state={state} />;
  switch (tab) {
    case 'page':
      return plugin.hasPage ? <PageTab plugin={plugin} state={state} /> : <About plugin={plugin} state={state} />;
    case 'settings':
      return (
        <div class="page">
          <Troubles plugin={plugin} state={state} />
          <SettingsForm
            key={plugin.stamp}
            state={state}
            id={plugin.id}
            airlineValues={airlineValuesOf(state, plugin.id)}
          />
        </div>
      );
    case 'log':
      return (
        <>
          {plugin.state === 'broken' && <Troubles plugin={plugin} state={state} />}
          <PluginLog state={state} plugin={plugin} />
        </>
      );
  }
}

function PageTab({plugin, state}: PluginProps) {
  const isShown = state.mayShowPages.value;
  useEffect(() => {
    if (isShown) rememberShown(plugin.id);
  }, [isShown, plugin.id]);
  if (isShown)
    return (
      <>
        {troubleOf(plugin) !== undefined && <Troubles plugin={plugin} state={state} />}
        <div class="plugin-page">
          <PluginFrame plugin={plugin} state={state} />
          <ErrorOverlay plugin={plugin} />
        </div>
      </>
    );
  return (
    <div class="page">
      <div class="card">
        <h2>
          Show the plugin <Marked text={plugin.name} />?
        </h2>
        <p>
          A page of a plugin acts by itself when it opens. You, a program or a page of another site opened its address.
          The plugin is <code>{plugin.id}</code>.
        </p>
        <p>
          <button type="button" class="primary" onClick={() => state.showPages()}>
            Show {plugin.name}
          </button>
        </p>
      </div>
    </div>
  );
}

/** A plugin without a page that could be shown. */
function About({plugin, state}: PluginProps) {
  return (
    <div class="page">
      <Troubles plugin={plugin} state={state} />
      <div class="card">
        {plugin.description !== '' && <p>{plugin.description}</p>}
        <p class="quiet">
          {plugin.state === 'broken'
            ? 'Its background does not run, and its page is not shown, until this is fixed.'
            : 'This plugin has no page. It works in the background, and its log shows what it does.'}
        </p>
        <p class="quiet">
          <code>{plugin.directory}</code>
        </p>
      </div>
    </div>
  );
}

/** The reason why a plugin does not run, and its warnings. */
function Troubles({plugin, state}: PluginProps) {
  if (plugin.reason === undefined && plugin.warnings.length === 0) return null;
  return (
    <div class={`note ${troubleOf(plugin) ?? 'warning'}`}>
      {plugin.reason !== undefined && (
        <p>
          <strong>{stateLabel(plugin)}:</strong> {plugin.reason}
        </p>
      )}
      {plugin.warnings.map(warning => (
        <p key={warning}>{warning}</p>
      ))}
      {plugin.state === 'stopped' && <RestartButton id={plugin.id} state={state} />}
    </div>
  );
}

/** Returns the values that the airline has set for a plugin. Back ends in PHP send an empty array for none. */
function airlineValuesOf(state: ConsoleState, id: string): SettingValues {
  const plugins = state.identity.value.value?.airline?.plugins;
  const applied = Array.isArray(plugins) ? plugins.find(each => each?.id === id)?.appliedSettings : undefined;
  return {...applied};
}
