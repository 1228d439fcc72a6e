import {existsSync} from 'node:fs';
import {AppError} from '../../core/failures/app-error.ts';
import {inspectConfig} from '../../platform/config/resolve-config.ts';
import {pluginsDirOf, snapshotsDirOf, startFileOf} from '../../platform/paths.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {locateConfigFile, readSources} from '../input/settings.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {formatTable} from '../terminal/table.ts';

/** `crewroom paths`: prints the paths of data, snapshots, plugins, config file, cache, log file and unit, even if the config file is invalid. */
export async function run(call: CallOf<'paths'>): Promise<CommandOutcome> {
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
