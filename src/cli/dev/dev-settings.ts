import {realpath, stat} from 'node:fs/promises';
import {basename, join} from 'node:path';
import type {Config} from '../../config/config.ts';
import {DEFAULT_ORIGIN, type ResolvedConfig, resolveConfig} from '../../config/resolve-config.ts';
import {AppError} from '../../failures/app-error.ts';
import {resolvePath} from '../../paths.ts';
import {findHalves} from '../../plugins/directory/plugin-halves.ts';
import {findFreePort, findTakenAddress} from '../../system/free-port.ts';
import {findServerProblem} from '../../system/loopback-address.ts';
import {describePortHolder, findPortHolder} from '../../system/port-holder.ts';
import type {CallOf} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {readSources} from '../input/settings.ts';

/** Settings of `crewroom dev`, and the plugin that it runs. */
export interface DevSettings {
  readonly config: Config;
  /** Real path of the folder of the plugin. */
  readonly directory: string;
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
  assertPageServer(call.flags.ui);
  const {flags, ...sources} = await readSources(call);
  const others = Array.isArray(flags.plugin) ? flags.plugin : [];
  const ephemeral = flags.dataDir === undefined ? {ephemeral: true} : {};
  const resolved = resolveConfig({...sources, flags: {...ephemeral, ...flags, plugin: [...others, directory]}});
  return {...(await choosePort(resolved)), directory: await realpath(directory)};
}

function assertPageServer(address: string | undefined): void {
  const problem = address === undefined ? undefined : findServerProblem(address);
  if (problem === undefined) return;
  throw new AppError({code: 'invalid-configuration', problems: [{setting: 'ui', source: '--ui', problem}]});
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
