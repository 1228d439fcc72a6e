import {existsSync} from 'node:fs';
import {AppError} from '../../core/failures/app-error.ts';
import {API_VERSION} from '../../core/protocol/headers/api-header.ts';
import {VERSION} from '../../core/version.ts';
import {SETTING_NAMES} from '../../platform/config/config.ts';
import {DEFAULT_ORIGIN, type InspectedConfig, inspectConfig} from '../../platform/config/resolve-config.ts';
import {pluginsDirOf, snapshotsDirOf, startFileOf} from '../../platform/paths.ts';
import type {CallOf, CommandCall} from '../catalogue/commands.ts';
import {AdvisedError} from '../failures/report.ts';
import {locateConfigFile, readSources} from '../input/settings.ts';
import {type CliContext, styleOf} from '../terminal/context.ts';
import {type CommandOutcome, printOutcome} from '../terminal/outcome.ts';
import {formatTable} from '../terminal/table.ts';

/** `crewroom config`: prints every setting with its value and origin, even if some are invalid. */
export async function config(call: CallOf<'config'>): Promise<CommandOutcome> {
  const inspected = inspectConfig(await readSources(call));
  const outcome = {json: describeSettings(inspected, call), text: formatSettings(inspected, call)};
  const {problems} = inspected;
  if (problems.length === 0) return outcome;
  await printOutcome(outcome, call);
  throw new AdvisedError(
    new AppError({code: 'invalid-configuration', problems}),
    'Correct them; the other settings are valid',
  );
}

function describeSettings({config, origins, problems}: InspectedConfig, call: CommandCall): object {
  const settings = Object.fromEntries(
    SETTING_NAMES.map(name => [name, {value: config[name] ?? null, origin: origins[name]}]),
  );
  const {path} = locateConfigFile(call);
  return {settings, configFile: {path, exists: existsSync(path)}, problems};
}

function formatSettings({config, origins}: InspectedConfig, {context}: CommandCall): string {
  const style = styleOf(context.stdout, context);
  const rows = SETTING_NAMES.map(name => [name, formatValue(name, config[name]), origins[name]]);
  const table = formatTable(['SETTING', 'VALUE', 'FROM'], rows, context);
  // Defaults are dimmed, so that changed settings stand out.
  return table.replace(new RegExp(`  ${DEFAULT_ORIGIN}$`, 'gm'), style.dim(`  ${DEFAULT_ORIGIN}`));
}

function formatValue(name: string, value: unknown): string {
  if (value === undefined) return 'invalid';
  if (name === 'profile' && value === '') return 'the sample';
  if (name === 'airline' && value === '') return 'from the profile';
  if (name === 'pluginsDir' && value === '') return 'beside the data directory';
  if (name === 'pluginConfig' && value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return String(value);
}

/** `crewroom paths`: prints the paths of data, snapshots, plugins, config file, cache, log file and unit, even if the config file is invalid. */
export async function paths(call: CallOf<'paths'>): Promise<CommandOutcome> {
  const {context} = call;
  const {config, problems} = inspectConfig(await readSources(call));
  const {dataDir, logFile} = config;
  if (dataDir === undefined) throw new AppError({code: 'invalid-configuration', problems});
  // Without a home directory some are not known.
  const snapshotsDir = dataDir && snapshotsDirOf(dataDir);
  const pluginsDir = config.pluginsDir || (dataDir && pluginsDirOf(dataDir));
  const configFile = locateConfigFile(call).path;
  const {cacheDir} = context.paths;
  const unitFile = startFileOf(context);
  const known = {dataDir, snapshotsDir, pluginsDir, configFile, cacheDir, logFile: logFile || context.paths.logFile};
  const paths = Object.entries(unitFile === undefined ? known : {...known, unitFile});
  const json = Object.fromEntries(paths.map(([name, path]) => [name, {path, exists: existsSync(path)}]));
  const rows = paths.map(([name, path]) => [name, path || '(no home directory)', existsSync(path) ? 'yes' : 'no']);
  return {json, text: formatTable(['NAME', 'PATH', 'EXISTS'], rows, context)};
}

/** `crewroom version`: prints the version. */
export async function version({context, flags}: CallOf<'version'>): Promise<CommandOutcome> {
  // The engine is loaded for programs only.
  return {json: flags.json ? await describeVersions(context) : {}, text: `crewroom ${VERSION}\n`};
}

async function describeVersions({nodeVersion: node, platform, architecture}: CliContext): Promise<object> {
  const {engineVersion} = await import('../../store/lmdb/environment.ts');
  return {version: VERSION, apiVersion: API_VERSION, node, platform, architecture, lmdb: await engineVersion()};
}
