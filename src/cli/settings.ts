import {readFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {
  CONFIG_FILE_VARIABLE,
  type ConfigFile,
  type ConfigSources,
  DEFAULTS,
  type ResolvedConfig,
  resolveConfig,
} from '../config.ts';
import {AppError} from '../domain/failure.ts';
import {parseJsonText} from '../domain/json-text.ts';
import {platformPaths} from '../paths.ts';
import type {Call} from './command.ts';

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
  const {environment, workingDirectory} = context;
  const file = await readConfigFile(locateConfigFile({configFile, context}));
  return {
    flags: settings,
    environment,
    file,
    defaults: {...DEFAULTS, dataDir: platformPaths().dataDir},
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
  const {environment, workingDirectory} = context;
  const named = configFile ?? (environment[CONFIG_FILE_VARIABLE] || undefined);
  if (named === undefined) return {path: platformPaths().configFile, named: false};
  return {path: resolve(workingDirectory, named), named: true};
}

async function readConfigFile({path, named}: ConfigFileLocation): Promise<ConfigFile | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return named ? {path, problem: 'does not exist'} : undefined;
    return {path, problem: `cannot be read: ${message}`};
  }
  return parseConfigFile(path, bytes);
}

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
