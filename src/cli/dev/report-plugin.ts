import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {VERSION} from '../../core/version.ts';
import {openAddress} from '../../platform/system/open-address.ts';
import {
  BACKGROUND_FOLDER,
  describeHalves,
  PAGE_FOLDER,
  type PluginHalves,
} from '../../plugins/directory/plugin-halves.ts';
import type {CallOf} from '../catalogue/commands.ts';
import type {ServiceReporter, Started} from '../live/service-reporter.ts';
import {formatRows, mainAddress, type Row, rowsOf} from '../output/banner.ts';
import {escapeControls, jsonLine, type Style} from '../terminal/context.ts';
import type {DevBackEnd} from './back-end.ts';

/** A service that runs a plugin in development. */
export interface StartedPlugin extends Started {
  /** The plugin; undefined if its folder was removed meanwhile. */
  readonly plugin: PluginStatus | undefined;
  /** Places of its parts in its folder. */
  readonly halves: PluginHalves;
  /** Origin of the dev server of its page. */
  readonly pageServer: string | undefined;
  /** The back end that runs beside it; undefined without one. */
  readonly backEnd: DevBackEnd | undefined;
  /** The program that holds the default port, if another one is used. */
  readonly portHolder: string | undefined;
}

/** Reports that a plugin was started, or could not be, and opens its page in the browser; with `--json` it is one line on standard output too. */
export async function reportPlugin(
  {context, flags}: CallOf<'dev'>,
  started: StartedPlugin,
  reporter: ServiceReporter,
): Promise<void> {
  const {plugin, port, urls, portHolder, backEnd} = started;
  reporter.started(started, (...shown) => formatDevBanner(started, ...shown));
  const open = shellAddress(started);
  if (reporter.isForPeople) {
    const problem = flags.noOpen ? undefined : await openAddress(open, context);
    if (problem !== undefined) reporter.note(`No browser was opened: ${problem}`);
    return;
  }
  if (portHolder !== undefined) reporter.note(`Port 7172 is held by ${portHolder}, so this is ${port}`);
  for (const text of describeBackEnd(started)) reporter.note(`Back end: ${text}`);
  for (const place of describeHalves(started.halves)) reporter.note(`Found its ${place}`);
  for (const warning of plugin?.warnings ?? []) reporter.note(`Warning: ${warning}`);
  const line = {url: urls[0], port, plugin: plugin?.id, state: plugin?.state, reason: plugin?.reason, open};
  const about = backEnd && {url: backEnd.url, pilots: backEnd.pilots};
  if (flags.json) await context.stdout.write(jsonLine({...line, backEnd: about}));
}

/** Describes the back end, if there is one: its address, who can sign in, and how its data and sessions are changed. */
function describeBackEnd({backEnd}: StartedPlugin): readonly string[] {
  if (backEnd === undefined) return [];
  const {url, pilots, dataFile} = backEnd;
  return [
    url,
    ...pilots.map(({number, password}) => `pilot ${number} signs in with "${password}"`),
    `data: copy ${dataFile}, and name the copy with --back-end`,
    `end its sessions: curl -X POST ${url}sessions/expire`,
  ];
}

/** Returns the address at which the service shows the page of the plugin, with its log and settings. */
function shellAddress(started: StartedPlugin): string {
  const {plugin} = started;
  return `${mainAddress(started)}/${plugin === undefined ? '' : `#/plugins/${encodeURIComponent(plugin.id)}`}`;
}

/** Formats the message to people once a plugin in development was started, or could not be. */
function formatDevBanner(started: StartedPlugin, style: Style, after: string): string {
  const {crewroom, plugin, portHolder, port} = started;
  const {identitySource: identity, config} = crewroom;
  const rows: readonly Row[] = [
    ['Open', style.cyan(shellAddress(started))],
    ['Page', plugin?.hasPage ? describePage(started, style) : undefined],
    ['Runs', describeBackground(started, style)],
    ...rowsOf('', (plugin?.warnings ?? []).map(escapeControls)),
    ['Port', portHolder && `7172 is held by ${escapeControls(portHolder)}, so this is ${port}`],
    ['', portHolder && style.dim('calls of the plugin to 7172 come here all the same')],
    ...rowsOf('Back end', describeBackEnd(started).map(escapeControls)),
    ['Pilot', escapeControls(identity.current()?.summary ?? 'none')],
    ['Data', config.ephemeral ? 'in memory, deleted when it stops' : escapeControls(config.dataDir)],
    ['Stop', 'Ctrl+C'],
  ];
  const name = plugin === undefined ? 'no plugin' : `${plugin.name} ${plugin.version}`.trim();
  return formatRows(`Crewroom ${VERSION} develops ${style.bold(escapeControls(name))} ${after}`, rows, style);
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
