import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {VERSION} from '../../core/version.ts';
import {BACKGROUND_FOLDER, PAGE_FOLDER, type PluginHalves} from '../../plugins/directory/plugin-halves.ts';
import {escapeControls, type Style} from '../terminal/context.ts';
import {formatRows, formatStartTime, mainAddress, type Row, type StartedService, type StartTime} from './banner.ts';

/** A service that runs a plugin in development. */
export interface StartedPlugin extends StartedService {
  /** The plugin; undefined if its folder was removed meanwhile. */
  readonly plugin: PluginStatus | undefined;
  /** Places of its parts in its folder. */
  readonly halves: PluginHalves;
  /** Origin of the dev server of its page. */
  readonly pageServer: string | undefined;
  /** The back end that runs beside it; undefined without one. */
  readonly backEnd: StartedBackEnd | undefined;
  /** The program that holds the default port, if another one is used. */
  readonly portHolder: string | undefined;
}

/** A back end that runs beside a plugin. */
export interface StartedBackEnd {
  readonly url: string;
  readonly pilots: readonly {readonly number: string; readonly password: string}[];
  /** File with its data. */
  readonly dataFile: string;
}

/** Describes a back end: its address, who can sign in, and how its data and sessions are changed. */
export function describeBackEnd({url, pilots, dataFile}: StartedBackEnd): readonly string[] {
  return [
    url,
    ...pilots.map(({number, password}) => `pilot ${number} signs in with "${password}"`),
    `data: copy ${dataFile}, and name the copy with --back-end`,
    `end its sessions: curl -X POST ${url}sessions/expire`,
  ];
}

/** Returns the address at which the service shows the page of the plugin, with its log and settings. */
export function shellAddress(started: StartedPlugin): string {
  const {plugin} = started;
  return `${mainAddress(started)}/${plugin === undefined ? '' : `#/plugins/${encodeURIComponent(plugin.id)}`}`;
}

/** Formats the message to people once a plugin in development was started, or could not be. */
export function formatDevBanner(started: StartedPlugin & StartTime, style: Style): string {
  const {crewroom, plugin, portHolder, port} = started;
  const {identitySource: identity, config} = crewroom;
  const rows: readonly Row[] = [
    ['Open', style.cyan(shellAddress(started))],
    ['Page', plugin?.hasPage ? describePage(started, style) : undefined],
    ['Runs', describeBackground(started, style)],
    ...(plugin?.warnings ?? []).map((warning): Row => ['', escapeControls(warning)]),
    ['Port', portHolder && `7172 is held by ${escapeControls(portHolder)}, so this is ${port}`],
    ['', portHolder && style.dim('calls of the plugin to 7172 come here all the same')],
    ...(started.backEnd === undefined ? [] : describeBackEnd(started.backEnd)).map(
      (text, index): Row => [index === 0 ? 'Back end' : '', escapeControls(text)],
    ),
    ['Pilot', escapeControls(identity.current()?.summary ?? 'none')],
    ['Data', config.ephemeral ? 'in memory, deleted when it stops' : escapeControls(config.dataDir)],
    ['Stop', 'Ctrl+C'],
  ];
  const name = plugin === undefined ? 'no plugin' : `${plugin.name} ${plugin.version}`.trim();
  return formatRows(
    `Crewroom ${VERSION} develops ${style.bold(escapeControls(name))} ${formatStartTime(started, style)}`,
    rows,
    style,
  );
}

function describePage(started: StartedPlugin, style: Style): string {
  const {plugin, halves, pageServer} = started;
  const source =
    pageServer === undefined ? `${halves.page ?? PAGE_FOLDER}/, reloaded when a file changes` : 'from its dev server';
  return `${style.cyan(`${mainAddress(started)}/plugins/${plugin?.id}/`)} ${style.dim(`(${source})`)}`;
}

function describeBackground({plugin, halves}: StartedPlugin, style: Style): string {
  const {state = 'starting', reason, routes = []} = plugin ?? {};
  if (state === 'starting') return style.yellow('loading');
  if (state === 'page-only') return 'no background; one starts once there is a background/index.js';
  if (state === 'not-built') return style.yellow(escapeControls(`not built yet; it starts once it is: ${reason}`));
  if (state === 'running' && reason !== undefined) return style.yellow(escapeControls(`with an error: ${reason}`));
  if (state === 'running') {
    const {background = BACKGROUND_FOLDER} = halves;
    return `${background} with ${routes.length} ${routes.length === 1 ? 'route' : 'routes'}, restarted when a file changes`;
  }
  return style.red(escapeControls(`it is ${state}${reason === undefined ? '' : `: ${reason}`}`));
}
