import {resolve} from 'node:path';
import {
  CONFIG_FILE_VARIABLE,
  type ConfigFile,
  type ConfigSources,
  DEFAULTS,
  type ResolvedConfig,
  resolveConfig,
} from '../../config/config.ts';
import {AppError} from '../../domain/failure.ts';
import {parseJsonText} from '../../domain/json-text.ts';
import {describeFileError, FileError, readRegularFile} from '../../files.ts';
import type {Call} from '../catalogue/call.ts';

/**
 * The settings in force for a call.
 *
 * @throws {AppError} `invalid-configuration` with every problem of every source.
 */
export async function readSettings(call: Call): Promise<ResolvedConfig> {
  return resolveConfig(await readSources(call));
}

/** Everything that has a say in the settings of a call. */
export async function readSources({settings, configFile, context}: Call): Promise<ConfigSources> {
  const {environment, workingDirectory, paths} = context;
  const file = await readConfigFile(locateConfigFile({configFile, context}));
  return {
    flags: settings,
    environment,
    file,
    defaults: {...DEFAULTS, dataDir: paths.dataDir},
    workingDirectory,
  };
}

/** Where a config file is, and who says so. */
export interface ConfigFileLocation {
  readonly path: string;
  /** Whether somebody named it; the one in the platform's place need not exist. */
  readonly named: boolean;
}

/** The config file of a call: the one that is named by a flag or the environment, or that in the platform's place. */
export function locateConfigFile({configFile, context}: Pick<Call, 'configFile' | 'context'>): ConfigFileLocation {
  const {environment, workingDirectory, paths} = context;
  const named = configFile ?? (environment[CONFIG_FILE_VARIABLE] || undefined);
  if (named === undefined) return {path: paths.configFile, named: false};
  return {path: resolve(workingDirectory, named), named: true};
}

async function readConfigFile({path, named}: ConfigFileLocation): Promise<ConfigFile | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(path, CONFIG_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.problem === 'missing' && !named) return undefined;
    return {path, problem: describeFileError(error, CONFIG_BYTES_MAX)};
  }
  return parseConfigFile(path, bytes);
}

/** Largest config file, in bytes: far more than all settings take, so that another file is noticed. */
const CONFIG_BYTES_MAX = 1024 * 1024;

function parseConfigFile(path: string, bytes: Buffer): ConfigFile {
  try {
    return {path, content: JSON.parse(Buffer.from(parseJsonText(bytes)).toString())};
  } catch (error) {
    if (!(error instanceof AppError) || !('position' in error.failure)) throw error;
    const {failure} = error;
    const before = bytes.subarray(0, failure.position).toString().split('\n');
    const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
    return {path, problem: `is not JSON: ${'problem' in failure ? failure.problem : 'it nests too deep'} at ${place}`};
  }
}
