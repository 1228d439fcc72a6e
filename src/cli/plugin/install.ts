import {formatBytes} from '../../core/domain/byte-size.ts';
import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {resolvePath} from '../../platform/paths.ts';
import {describeHalves, type PluginHalves} from '../../plugins/directory/plugin-halves.ts';
import {installPlugin, type StagedPlugin, stagePlugin} from '../../plugins/package/install-plugin.ts';
import {openPackage} from '../../plugins/package/plugin-package.ts';
import type {PluginPlaces} from '../../plugins/package/remove-plugin.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {unconfirmed} from '../failures/report.ts';
import {formatFiles} from '../output/counts.ts';
import {escapeControls} from '../terminal/context.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {type CommandOutcome, declined, made} from '../terminal/outcome.ts';
import {canAsk} from '../terminal/prompts.ts';
import {placesOf, withAdvice} from './check.ts';
import {describeUnseen, findFollowingService, findStateFor, type ServiceState} from './following-service.ts';
import {askUntil, changing, findPlaces, stage, waitingOf} from './remove.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin install`: unpacks, checks and shows a package, asks for confirmation, and installs it. */
export async function install(call: PluginCall, name: string): Promise<CommandOutcome> {
  const {context, flags} = call;
  if (!flags.yes && !canAsk(context)) throw unconfirmed('plugin', 'installs a program');
  const places = await findPlaces(call);
  const service = await findFollowingService(call, places.plugins);
  return changing(places, () => untilInterrupted(context, signal => run(call, {name, places, service, signal})));
}

interface Installation {
  readonly name: string;
  readonly places: PluginPlaces;
  readonly service: ServiceState;
  readonly signal: AbortSignal;
}

async function run(call: PluginCall, {name, places, service: found, signal}: Installation): Promise<CommandOutcome> {
  const {context, flags} = call;
  await using opened = await withAdvice(
    openPackage(resolvePath(name, context), JSON.stringify(name)),
    'Give the path of a ZIP archive, or of the folder of a plugin',
  );
  await using staging = await stage(places);
  const plugin = await stagePlugin(opened, places.plugins, {staging, signal});
  // With `--json` too, if the user is asked.
  if (context.stderr.isTerminal && !(flags.json && flags.yes))
    await context.stderr.write(describePlugin(plugin, opened.halves));
  if (!flags.yes && !(await askUntil(signal, 'Install it?', context))) {
    return declined('Nothing was installed');
  }
  const state = await findStateFor(plugin.manifest.id, found);
  const service = state.kind === 'following' ? state.service : undefined;
  const waiting = waitingOf(context, signal);
  const reached = await installPlugin(plugin, {staging, service, waiting, nowMs: context.nowMs});
  return report(plugin, {state, reached, halves: opened.halves});
}

/** Describes a new version, and which of its parts will run. */
function describePlugin({manifest, hasBackground, hasPage, ...plugin}: StagedPlugin, halves: PluginHalves): string {
  const {id, version, name, type} = manifest;
  const {replaces} = plugin;
  const before = replaces === undefined ? '' : `, in place of ${replaces || 'a broken one'}`;
  const lines = [
    `${id} ${version}${before}`,
    `  ${name}, a plugin for the ${type}`,
    ...describeHalves(halves).map(place => `  found its ${place}`),
    ...(hasBackground ? ['  background/index.js runs as you for as long as a pilot is signed in'] : []),
    ...(hasPage ? [`  ui/ is served at /plugins/${id}/`] : []),
    `  ${formatFiles(plugin.files)}, ${formatBytes(plugin.sizeBytes)}, in ${plugin.directory}`,
  ];
  return lines.map(line => `${escapeControls(line)}\n`).join('');
}

interface Installed {
  readonly halves: PluginHalves;
  readonly state: ServiceState;
  /** The state that the service reports. */
  readonly reached: PluginStatus['state'] | undefined;
}

function report(
  {manifest: {id, version}, directory, replaces, files, sizeBytes}: StagedPlugin,
  {state, reached, halves}: Installed,
): CommandOutcome {
  const replaced = replaces === undefined ? {} : {replaced: replaces};
  const result = {
    id,
    version,
    ...replaced,
    directory,
    files,
    sizeBytes,
    service: state.kind,
    state: reached,
    ...placesOf(halves),
  };
  const unseen = describeUnseen(state);
  const how = reached === undefined ? `checked only, and not started: ${unseen}` : describeState(reached);
  return made(result, [`Installed ${id} ${version}: ${how}`]);
}

function describeState(state: PluginStatus['state']): string {
  if (state === 'waiting') return 'it starts when a pilot signs in';
  return state === 'page-only' ? 'its page is served' : `it is ${state}`;
}
