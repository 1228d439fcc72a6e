import {existsSync} from 'node:fs';
import {AppError} from '../../core/failures/app-error.ts';
import {inspectConfig} from '../../platform/config/resolve-config.ts';
import {agentFileOf, pluginsDirOf, snapshotsDirOf, unitFileOf} from '../../platform/paths.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {locateConfigFile, readSources} from '../input/settings.ts';
import type {CliContext} from '../terminal/context.ts';
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
  const unitFile = findStartFile(context);
  const log = logFile || context.paths.logFile;
  const paths = {
    dataDir: {path: dataDir, exists: existsSync(dataDir)},
    snapshotsDir: {path: snapshotsDir, exists: existsSync(snapshotsDir)},
    pluginsDir: {path: pluginsDir, exists: existsSync(pluginsDir)},
    configFile: {path: configFile, exists: existsSync(configFile)},
    cacheDir: {path: cacheDir, exists: existsSync(cacheDir)},
    logFile: {path: log, exists: existsSync(log)},
    ...(unitFile === undefined ? {} : {unitFile: {path: unitFile, exists: existsSync(unitFile)}}),
  };
  const rows = Object.entries(paths).map(([name, {path, exists}]) => [
    name,
    path || '(no home directory)',
    exists ? 'yes' : 'no',
  ]);
  return {json: paths, text: formatTable(['NAME', 'PATH', 'EXISTS'], rows, context)};
}

/** Returns the file by which the system starts the service; undefined if this one has none. */
function findStartFile({platform, environment, homeDir}: CliContext): string | undefined {
  if (platform === 'darwin') return agentFileOf(homeDir);
  return platform === 'linux' ? unitFileOf(environment) : undefined;
}
