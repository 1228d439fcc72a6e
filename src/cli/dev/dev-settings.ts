import {realpath, stat} from 'node:fs/promises';
import {basename, join} from 'node:path';
import type {Service} from '../../app/crewroom.ts';
import type {Log} from '../../core/domain/log.ts';
import {AppError, refusedSetting} from '../../core/failures/app-error.ts';
import type {Config} from '../../platform/config/config.ts';
import {DEFAULT_ORIGIN, type ResolvedConfig, resolveConfig} from '../../platform/config/resolve-config.ts';
import {resolvePath, runtimeDirsOf} from '../../platform/paths.ts';
import {findServerProblem, type ServiceAddress} from '../../platform/system/loopback.ts';
import {
  describePortHolder,
  findAnyPort,
  findFreePort,
  findPortHolder,
  findTakenAddress,
} from '../../platform/system/port-holder.ts';
import {findHalves} from '../../plugins/directory/plugin-halves.ts';
import {keepDevelopment} from '../../service/access/development-file.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {AdvisedError} from '../failures/report.ts';
import {readSources} from '../input/settings.ts';
import type {CliContext} from '../terminal/context.ts';

/** Settings of `crewroom dev`, and the plugin that it runs. */
export interface DevSettings {
  readonly config: Config;
  /** Real path of the folder of the plugin. */
  readonly directory: string;
  /** Origin of the dev server of its page; undefined without one. */
  readonly pageServer: string | undefined;
  /** The program that holds the default port, if another one is used. */
  readonly portHolder: string | undefined;
}

/**
 * Reads the settings. Uses no data directory, unless a flag names one: other sources are for `crewroom start`.
 *
 * @throws {AdvisedError} `invalid-plugin` if the folder has no manifest.
 * @throws {AppError} `invalid-configuration`.
 */
export async function readDevSettings(call: CallOf<'dev'>): Promise<DevSettings> {
  const [given = '.'] = call.arguments;
  const directory = resolvePath(given, call.context);
  await assertPlugin(directory);
  const pageServer = call.flags.ui === undefined ? undefined : await readPageServer(call.flags.ui);
  const {flags, ...sources} = await readSources(call);
  const others = Array.isArray(flags.devPlugins) ? flags.devPlugins : [];
  const ephemeral = flags.dataDir === undefined ? {ephemeral: true} : {};
  const resolved = resolveConfig({...sources, flags: {...ephemeral, ...flags, devPlugins: [...others, directory]}});
  const {config, portHolder} = await choosePort(resolved);
  // Its own page may call the service too, through its proxy or directly: it shows the same files.
  const allowOrigins = pageServer === undefined ? config.allowOrigins : [...config.allowOrigins, pageServer];
  return {config: {...config, allowOrigins}, pageServer, portHolder, directory: await realpath(directory)};
}

/** Returns the origin of a dev server. Its port is one that is free now if none is given: 0. */
async function readPageServer(address: string): Promise<string> {
  const problem = findServerProblem(address);
  if (problem !== undefined) throw refusedSetting('ui', problem, '--ui');
  const url = new URL(address);
  if (url.port === '0') url.port = String(await findAnyPort(url.hostname.replace(/^\[|\]$/g, '')));
  return url.origin;
}

async function assertPlugin(directory: string): Promise<void> {
  const {manifest} = await findHalves(directory);
  try {
    await stat(join(directory, manifest));
  } catch {
    const problems = [{path: '$', problem: 'has no plugin.json'}];
    const failure = new AppError({code: 'invalid-plugin', plugin: basename(directory), problems});
    throw new AdvisedError(failure, 'Name the folder of a plugin, or change to it: crewroom dev DIR');
  }
}

/** Uses the next free port if the default one is taken. A port that was set is used, or the start fails. */
async function choosePort({config, origins}: ResolvedConfig): Promise<Pick<DevSettings, 'config' | 'portHolder'>> {
  const taken = origins.port === DEFAULT_ORIGIN ? await findTakenAddress(config) : undefined;
  if (taken === undefined) return {config, portHolder: undefined};
  const holder = await findPortHolder(taken);
  const portHolder = holder === undefined ? 'another program' : describePortHolder(holder);
  return {config: {...config, port: await findFreePort({...config, port: config.port + 1})}, portHolder};
}

/** Writes the address of a service for commands that are run in the folder of its plugin, until it is disposed of. */
export async function keepAddress(
  address: ServiceAddress,
  {directory, crewroom, context, log}: {directory: string; crewroom: Service; context: CliContext; log: Log},
): Promise<AsyncDisposable> {
  const {config, plugins} = crewroom;
  await plugins.ready();
  const plugin = plugins.list().find(each => each.directory === directory)?.id;
  const dataDir = config.ephemeral ? undefined : config.dataDir;
  const runtimeDirs = runtimeDirsOf(context.environment, context);
  return keepDevelopment({directory, plugin, ...address, dataDir}, {...context, log, runtimeDirs});
}
