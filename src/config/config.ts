import {dirname} from 'node:path';
import {AppError} from '../domain/app-error.ts';
import type {ConfigurationProblem} from '../domain/failure.ts';
import {DEFAULT_LIMITS, LIMIT_RANGES, type LimitSettings} from '../domain/limits.ts';
import {findSimilar} from './edit-distance.ts';
import {
  findHostProblem,
  findOriginProblem,
  type Reading,
  readChoice,
  readFlag,
  readInteger,
  readList,
  readPath,
  readPaths,
  readText,
  type Setting,
} from './setting.ts';

/** All settings, with the values in force. */
export interface Config extends LimitSettings {
  /** A loopback address, or `localhost` for both loopback addresses. */
  readonly host: string;
  /** TCP port; 0 lets the system choose. */
  readonly port: number;
  /** A file with an identity document, `none` for no identity, or empty for the sample identity. */
  readonly profile: string;
  /** A file with an airline, at whose back end pilots sign in, or empty for that of the profile. */
  readonly airline: string;
  /** Whether a session is kept over a restart. */
  readonly keep: boolean;
  /** Directory of the store. */
  readonly dataDir: string;
  /** Whether the store is in memory and lost at the end. */
  readonly ephemeral: boolean;
  /** Directory of installed plugins, or empty for the one beside the data directory; none if `ephemeral`. */
  readonly plugins: string;
  /** Folders of plugins in development. */
  readonly plugin: readonly string[];
  /** A file with the configuration that plugins read, or empty for none. */
  readonly pluginConfig: string;
  /** Origins of web pages that may call, exactly as browsers send them. */
  readonly allowOrigin: readonly string[];
  /** Host names besides the loopback ones that may be called. */
  readonly allowHost: readonly string[];
  /** The lowest level that is logged. */
  readonly logLevel: LogLevel;
}

/** A level of log messages. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_LEVELS = ['error', 'info', 'debug'] as const;

/** The name of a setting: also its member in the config file, `--kebab-case` its flag, `CREWROOM_…` its variable. */
export type SettingName = keyof Config;

/** Values that are given under the name of their setting, unchecked. */
export type GivenSettings = {readonly [N in SettingName]?: unknown};

/** The sources of settings. The first one that has a setting wins: flags, environment, file, defaults. */
export interface ConfigSources {
  readonly flags: GivenSettings;
  /** All variables of the environment; those that begin with `CREWROOM_` count. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The config file, if there is one. */
  readonly file?: ConfigFile | undefined;
  readonly defaults: Config;
  /** The base of relative paths in flags and environment. */
  readonly workingDirectory: string;
}

/** A config file: its JSON value, or the problem with it. */
export type ConfigFile = {readonly path: string} & ({readonly content: unknown} | {readonly problem: string});

/** The settings of all sources, with their problems. */
export interface InspectedConfig {
  /** Without the invalid settings. */
  readonly config: Partial<Config>;
  readonly origins: {readonly [N in SettingName]: string};
  /** Every problem of every source. */
  readonly problems: readonly ConfigurationProblem[];
}

/** A configuration, with the origin of each setting. */
export interface ResolvedConfig {
  readonly config: Config;
  readonly origins: {readonly [N in SettingName]: string};
}

/** The settings, in the order in which they are shown. */
export const SETTINGS: {readonly [N in SettingName]: Setting<Config[N]>} = {
  host: {
    placeholder: 'HOST',
    description: 'loopback address; localhost is 127.0.0.1 and ::1',
    read: readText,
  },
  port: {placeholder: 'PORT', description: 'port to listen on, or to call', read: readInteger(0, 65_535)},
  profile: {
    placeholder: 'FILE',
    description: 'identity document to serve, or "none"',
    read: readProfileSetting,
  },
  airline: {placeholder: 'FILE', description: 'airline at whose back end pilots sign in', read: readPath},
  keep: {description: 'keep the session in memory, not over a restart', read: readFlag},
  dataDir: {placeholder: 'DIR', description: 'directory of the store', read: readPath},
  ephemeral: {description: 'keep everything in memory, nothing on disk', read: readFlag},
  plugins: {placeholder: 'DIR', description: 'directory of installed plugins', read: readPath},
  plugin: {placeholder: 'DIR', description: 'plugin in development', repeatable: true, read: readPaths},
  pluginConfig: {placeholder: 'FILE', description: 'configuration that plugins read', read: readPath},
  allowOrigin: {
    placeholder: 'ORIGIN',
    description: 'let web pages of this origin call',
    repeatable: true,
    read: readList(findOriginProblem),
  },
  allowHost: {
    placeholder: 'NAME',
    description: 'answer to this host name too',
    repeatable: true,
    read: readList(findHostProblem),
  },
  valueBytesMax: {placeholder: 'BYTES', description: 'largest value', read: readLimit('valueBytesMax')},
  valueDepthMax: {placeholder: 'LEVELS', description: 'deepest nesting of a value', read: readLimit('valueDepthMax')},
  connectionsMax: {placeholder: 'N', description: 'most connections at once', read: readLimit('connectionsMax')},
  logLevel: {
    placeholder: 'LEVEL',
    description: 'error, info or debug',
    choices: LOG_LEVELS,
    read: readChoice(LOG_LEVELS),
  },
};

/** The names of all settings, in that order. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The default of every setting but the data directory, which depends on the platform. */
export const DEFAULTS: Omit<Config, 'dataDir'> = {
  host: 'localhost',
  port: 7172,
  profile: '',
  airline: '',
  keep: true,
  ephemeral: false,
  plugins: '',
  plugin: [],
  pluginConfig: '',
  allowOrigin: [],
  allowHost: [],
  valueBytesMax: DEFAULT_LIMITS.valueBytesMax,
  valueDepthMax: DEFAULT_LIMITS.valueDepthMax,
  connectionsMax: DEFAULT_LIMITS.connectionsMax,
  logLevel: 'info',
};

/** The variable that names the config file, as `--config` does, in place of the default one of the platform. */
export const CONFIG_FILE_VARIABLE = 'CREWROOM_CONFIG';

/** Returns the flag for a name in camel case, such as `--data-dir`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

/** Returns the flag that users need: a setting that is on by default gets `--no-…`. */
export function shownFlagOf(name: SettingName): string {
  return name !== 'dataDir' && DEFAULTS[name] === true ? flagOf(name).replace('--', '--no-') : flagOf(name);
}

/** Returns the environment variable of a setting, such as `CREWROOM_DATA_DIR`. */
export function variableOf(name: SettingName): string {
  return `${VARIABLE_PREFIX}${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`;
}

const VARIABLE_PREFIX = 'CREWROOM_';

/**
 * Merges all sources.
 *
 * @throws {AppError} `invalid-configuration` with every problem of every source.
 */
export function resolveConfig(sources: ConfigSources): ResolvedConfig {
  const {config, origins, problems} = inspectConfig(sources);
  if (problems.length > 0) throw new AppError({code: 'invalid-configuration', problems});
  // Without problems no setting is missing.
  return {config: config as Config, origins};
}

/** Merges all sources and collects their problems. Never throws. */
export function inspectConfig(sources: ConfigSources): InspectedConfig {
  const problems = findSourceProblems(sources);
  const config: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const name of SETTING_NAMES) {
    const given = findGiven(name, sources);
    const reading =
      given === undefined ? {value: sources.defaults[name]} : SETTINGS[name].read(given.value, given.directory);
    origins[name] = given?.source ?? DEFAULT_ORIGIN;
    if ('value' in reading) config[name] = reading.value;
    else problems.push({setting: name, source: origins[name], problem: reading.problem});
  }
  // Each name was given the value that its own reader made.
  return {config: config as Partial<Config>, origins: origins as InspectedConfig['origins'], problems};
}

/** The defaults for {@link readOptions}. */
export interface OptionSources {
  readonly defaults: Config;
  /** The base of relative paths. */
  readonly workingDirectory: string;
}

/**
 * Completes the options of an embedding program, and checks them as strictly as those of users: a guard that accepts
 * `allowOrigin: ['null']` would be useless.
 *
 * @throws {AppError} `invalid-configuration` with every problem.
 */
export function readOptions(options: GivenSettings, {defaults, workingDirectory}: OptionSources): Config {
  const config: Record<string, unknown> = {...defaults};
  const problems: ConfigurationProblem[] = [];
  for (const [name, given] of Object.entries(options)) {
    if (!isSettingName(name)) problems.push(describeUnknown({name, source: name, known: SETTING_NAMES}));
    // A default may be a value that users cannot give.
    else if (given !== undefined && given !== defaults[name]) {
      const reading = SETTINGS[name].read(given, workingDirectory);
      if ('value' in reading) config[name] = reading.value;
      else problems.push({setting: name, source: name, problem: reading.problem});
    }
  }
  if (problems.length > 0) throw new AppError({code: 'invalid-configuration', problems});
  // Each name was given the value that its own reader made.
  return config as unknown as Config;
}

/** The origin of a default. */
export const DEFAULT_ORIGIN = 'default';

interface Given {
  readonly value: unknown;
  /** The name of the source for users. */
  readonly source: string;
  readonly directory: string;
}

function findGiven(name: SettingName, {flags, environment, file, workingDirectory}: ConfigSources): Given | undefined {
  if (flags[name] !== undefined) return {value: flags[name], source: flagOf(name), directory: workingDirectory};
  const variable = environment[variableOf(name)];
  // Many programs unset a variable for their children by making it empty.
  if (variable !== undefined && variable !== '')
    return {value: variable, source: variableOf(name), directory: workingDirectory};
  const members = membersOf(file);
  if (file !== undefined && Object.hasOwn(members, name))
    return {value: members[name], source: sourceInFile(name, file), directory: dirname(file.path)};
  return undefined;
}

/** Finds the problems of the sources themselves: an unreadable file, and unknown names. */
function findSourceProblems({environment, file}: ConfigSources): ConfigurationProblem[] {
  const variables = new Set([...SETTING_NAMES.map(variableOf), CONFIG_FILE_VARIABLE]);
  const problems = Object.keys(environment)
    .filter(name => name.startsWith(VARIABLE_PREFIX) && environment[name] !== '' && !variables.has(name))
    .map(name => describeUnknown({name, source: name, known: variables}));
  if (file === undefined) return problems;
  const problem = 'problem' in file ? file.problem : isObject(file.content) ? undefined : 'is not a JSON object';
  if (problem !== undefined) return [...problems, {setting: '', source: file.path, problem}];
  const unknown = Object.keys(membersOf(file)).filter(name => !isSettingName(name) && name !== SCHEMA_MEMBER);
  return [
    ...problems,
    ...unknown.map(name => describeUnknown({name, source: sourceInFile(name, file), known: SETTING_NAMES})),
  ];
}

/** The member that names the schema of a JSON file for editors; it is not a setting. */
const SCHEMA_MEMBER = '$schema';

interface UnknownName {
  readonly name: string;
  readonly source: string;
  readonly known: Iterable<string>;
}

/** Describes an unknown name, which is most often a typing error. */
function describeUnknown({name, source, known}: UnknownName): ConfigurationProblem {
  const similar = findSimilar(name, known);
  const problem = similar === undefined ? 'is not a setting' : `is not a setting; did you mean ${similar}?`;
  return {setting: name, source, problem};
}

function membersOf(file: ConfigFile | undefined): Readonly<Record<string, unknown>> {
  return file !== undefined && 'content' in file && isObject(file.content) ? file.content : {};
}

function sourceInFile(name: string, {path}: ConfigFile): string {
  return `${JSON.stringify(name)} in ${path}`;
}

function readProfileSetting(given: unknown, directory: string): Reading<string> {
  return given === 'none' ? {value: given} : readPath(given, directory);
}

function readLimit(name: keyof LimitSettings): Setting<number>['read'] {
  const {min, max} = LIMIT_RANGES[name];
  return readInteger(min, max);
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
