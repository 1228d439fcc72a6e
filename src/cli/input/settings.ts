import {blankComments} from '../../core/documents/json-comments.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {describeFileError, FileError, readTextFile} from '../../core/files/text-file.ts';
import {lineAndColumnOf} from '../../core/json/json-document.ts';
import {parseJsonText} from '../../core/json/json-text.ts';
import {CONFIG_FILE_VARIABLE, DEFAULTS} from '../../platform/config/config.ts';
import {
  type ConfigFile,
  type ConfigSources,
  type ResolvedConfig,
  resolveConfig,
} from '../../platform/config/resolve-config.ts';
import {resolvePath} from '../../platform/paths.ts';
import type {SettingsCall} from '../catalogue/commands.ts';

/**
 * Reads the settings in force for a call.
 *
 * @throws {AppError} `invalid-configuration` with every problem of every source.
 */
export async function readSettings(call: SettingsCall): Promise<ResolvedConfig> {
  return resolveConfig(await readSources(call));
}

/** Reads all sources of the settings of a call. */
export async function readSources({settings, configFile, context}: SettingsCall): Promise<ConfigSources> {
  const {environment, workingDirectory, homeDir, paths} = context;
  const file = await readConfigFile(locateConfigFile({configFile, context}));
  return {
    flags: settings,
    environment,
    file,
    defaults: {...DEFAULTS, dataDir: paths.dataDir},
    workingDirectory,
    homeDir,
  };
}

/** The path of a config file. */
export interface ConfigFileLocation {
  /** Empty for the default one of a user without a home directory. */
  readonly path: string;
  /** True if a flag or a variable named it; the default one need not exist. */
  readonly named: boolean;
}

/** Returns the path of the config file: named by a flag or a variable, or the default one of the platform. */
export function locateConfigFile({configFile, context}: Omit<SettingsCall, 'settings'>): ConfigFileLocation {
  const {environment, paths} = context;
  const named = configFile ?? (environment[CONFIG_FILE_VARIABLE] || undefined);
  if (named === undefined) return {path: paths.configFile, named: false};
  return {path: resolvePath(named, context), named: true};
}

async function readConfigFile({path, named}: ConfigFileLocation): Promise<ConfigFile | undefined> {
  if (path === '') return undefined;
  let bytes: Buffer;
  try {
    bytes = await readTextFile(path, CONFIG_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.problem === 'missing' && !named) return undefined;
    return {path, problem: describeFileError(error, CONFIG_BYTES_MAX)};
  }
  return parseConfigFile(path, bytes);
}

/** Largest config file, in bytes. All settings take far less; a larger file was probably named by mistake. */
const CONFIG_BYTES_MAX = 1024 * 1024;

function parseConfigFile(path: string, bytes: Buffer): ConfigFile {
  try {
    return {path, content: JSON.parse(Buffer.from(parseJsonText(blankComments(bytes))).toString())};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {failure} = error;
    if (!(failure && 'position' in failure)) throw error;
    const problem = 'problem' in failure ? failure.problem : 'it is nested too deeply';
    return {path, problem: `is not JSON: ${problem} at ${lineAndColumnOf(bytes, failure.position)}`};
  }
}
