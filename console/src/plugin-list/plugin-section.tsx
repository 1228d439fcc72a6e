import {useId, useMemo} from 'preact/hooks';
import {PluginIcon} from '../plugins/plugin-icon.tsx';
import {ownPrefix} from '../plugins/plugin-links.tsx';
import {RestartButton} from '../plugins/restart-button.tsx';
import {StateMark} from '../plugins/state-mark.tsx';
import {formatRoute} from '../route.ts';
import type {Plugin, RefusedRequest} from '../service/documents.ts';
import {Facts} from '../shell/facts.tsx';
import {formatMoment} from '../shell/format/format-clock.ts';
import {formatBytes} from '../shell/format/format-figures.ts';
import {Marked} from '../shell/marked.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import {RefusedNote} from './refused-note.tsx';
import {RouteTrial, trialDraft} from './route-trial.tsx';

interface PluginSectionProps {
  readonly plugin: Plugin;
  readonly state: ConsoleState;
  readonly refused: readonly RefusedRequest[];
}

/** A plugin: its state, its files, its routes, and the ways to its page, its settings and its log. */
export function PluginSection({plugin, state, refused}: PluginSectionProps) {
  const title = useId();
  const {drafts} = state;
  const {id, name, version, description, inDevelopment, reason, warnings, routes, hasBackground} = plugin;
  const isTried = useMemo(() => routes.some(route => trialDraft({plugin: id, route, drafts}).peek()), [id, drafts]);
  return (
    <section class="card plugin-section" aria-labelledby={title}>
      <header class="plugin-section-head">
        <PluginIcon plugin={plugin} darkMode={state.darkMode.value} />
        <h2 id={title}>
          <Marked text={name} />
        </h2>
        {version !== '' && <span class="quiet">{version}</span>}
        <StateMark plugin={plugin} />
        {inDevelopment && <span class="state">In development</span>}
      </header>
      {description !== '' && <p>{description}</p>}
      {reason !== undefined && <p class="note warning">{reason}</p>}
      {warnings.map(warning => (
        <p key={warning} class="note warning">
          {warning}
        </p>
      ))}
      <RefusedNote id={id} refused={refused} />
      <Links plugin={plugin} />
      <About plugin={plugin} />
      {routes.length > 0 && (
        <details open={isTried}>
          <summary>{routes.length === 1 ? '1 route' : `${routes.length} routes`}</summary>
          <ul class="routes">
            {routes.map(route => (
              <RouteTrial key={`${route.method} ${route.name}`} plugin={id} route={route} drafts={drafts} />
            ))}
          </ul>
        </details>
      )}
      {hasBackground && <RestartButton id={id} state={state} />}
    </section>
  );
}

function Links({plugin: {id, name, hasPage}}: {readonly plugin: Plugin}) {
  return (
    <nav class="links" aria-label={`Views of ${name}`}>
      {hasPage && <a href={formatRoute({view: 'plugin', id, tab: 'page'})}>Page</a>}
      <a href={formatRoute({view: 'plugin', id, tab: 'settings'})}>Settings</a>
      <a href={formatRoute({view: 'plugin', id, tab: 'log'})}>Log</a>
      <a href={formatRoute({view: 'entries', prefix: ownPrefix(id)})}>Entries</a>
      <a href={formatRoute({view: 'requests', plugin: id})}>Requests</a>
    </nav>
  );
}

function About({plugin}: {readonly plugin: Plugin}) {
  const {id, directory, storagePath, startedAt, memoryBytes, ends} = plugin;
  return (
    <Facts
      facts={[
        ['Id', id],
        ['Folder', directory],
        ['Storage', storagePath],
        ['Started', startedAt === undefined ? undefined : formatMoment(startedAt)],
        ['Memory', memoryBytes === undefined ? undefined : formatBytes(memoryBytes)],
        ['Ended by itself', ends === 0 ? undefined : ends === 1 ? 'once' : `${ends} times`],
      ]}
    />
  );
}
