import {dirname} from 'node:path';
import {AppError, type ConfigurationProblem} from '../domain/failure.ts';
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
  readText,
  type Setting,
} from './setting.ts';

/** Everything that can be set, with the values in force. */
export interface Config extends LimitSettings {
  /** A loopback address, or `localhost` for both loopback addresses. */
  readonly host: string;
  /** TCP port; 0 lets the system choose. */
  readonly port: number;
  /** A file with an identity document, `none` for nobody, or empty for the sample identity. */
  readonly profile: string;
  /** A file with an airline, at whose back end pilots sign in, or empty for that of the profile. */
  readonly airline: string;
  /** Whether a session is kept over a restart. */
  readonly keep: boolean;
  /** Directory of the store. */
  readonly dataDir: string;
  /** Whether everything is kept in memory and gone at the end. */
  readonly ephemeral: boolean;
  /** Origins of web pages that may call, exactly as browsers send them. */
  readonly allowOrigin: readonly string[];
  /** Host names besides the loopback ones that may be called. */
  readonly allowHost: readonly string[];
  /** The least important messages that are logged. */
  readonly logLevel: LogLevel;
}

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_LEVELS = ['error', 'info', 'debug'] as const;

/** The name of a setting: also its member in the config file, `--kebab-case` its flag, `CREWROOM_…` its variable. */
export type SettingName = keyof Config;

/** Values that are given under the name of their setting, unchecked. */
export type GivenSettings = {readonly [N in SettingName]?: unknown};

/** Where values come from, the first one that has a setting wins: flags, environment, file, defaults. */
export interface ConfigSources {
  readonly flags: GivenSettings;
  /** All variables of the environment; those that begin with `CREWROOM_` count. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The config file, where there is one. */
  readonly file?: ConfigFile | undefined;
  readonly defaults: Config;
  /** What relative paths in flags and environment start from. */
  readonly workingDirectory: string;
}

/** A config file: the JSON value in it, or why there is none. */
export type ConfigFile = {readonly path: string} & ({readonly content: unknown} | {readonly problem: string});

/** What all sources together say, also where they are wrong. */
export interface InspectedConfig {
  /** A setting that cannot be used is left out. */
  readonly config: Partial<Config>;
  readonly origins: {readonly [N in SettingName]: string};
  /** Every problem of every source. */
  readonly problems: readonly ConfigurationProblem[];
}

/** A configuration, and for each setting where its value came from. */
export interface ResolvedConfig {
  readonly config: Config;
  readonly origins: {readonly [N in SettingName]: string};
}

/** The settings, in the order in which people are shown them. */
export const SETTINGS: {readonly [N in SettingName]: Setting<Config[N]>} = {
  host: {
    placeholder: 'HOST',
    description: 'loopback address; localhost is 127.0.0.1 and ::1',
    read: readText,
  },
  port: {placeholder: 'PORT', description: 'port to listen on, or to call', read: readInteger(0, 65_535)},
  profile: {
    placeholder: 'FILE',
    description: 'identity document to serve, or "none" for nobody',
    read: readProfileSetting,
  },
  airline: {placeholder: 'FILE', description: 'airline at whose back end pilots sign in', read: readPath},
  keep: {description: 'keep the session in memory, not over a restart', read: readFlag},
  dataDir: {placeholder: 'DIR', description: 'directory of the store', read: readPath},
  ephemeral: {description: 'keep everything in memory, nothing on disk', read: readFlag},
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

/** The names of all settings, in their order. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The default of every setting but the data directory, which depends on the platform. */
export const DEFAULTS: Omit<Config, 'dataDir'> = {
  host: 'localhost',
  port: 7172,
  profile: '',
  airline: '',
  keep: true,
  ephemeral: false,
  allowOrigin: [],
  allowHost: [],
  valueBytesMax: DEFAULT_LIMITS.valueBytesMax,
  valueDepthMax: DEFAULT_LIMITS.valueDepthMax,
  connectionsMax: DEFAULT_LIMITS.connectionsMax,
  logLevel: 'info',
};

/** The file that is named by this variable, or by `--config`, is read instead of the one in the platform's place. */
export const CONFIG_FILE_VARIABLE = 'CREWROOM_CONFIG';

/** The flag of a setting, or of any other name in camel case, such as `--data-dir`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

/** The flag that people need: what is on unless told otherwise is turned off. */
export function shownFlagOf(name: SettingName): string {
  return name !== 'dataDir' && DEFAULTS[name] === true ? flagOf(name).replace('--', '--no-') : flagOf(name);
}

/** The environment variable of a setting, such as `CREWROOM_DATA_DIR`. */
export function variableOf(name: SettingName): string {
  return `${VARIABLE_PREFIX}${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`;
}

const VARIABLE_PREFIX = 'CREWROOM_';

/**
 * Brings all sources together.
 *
 * @throws {AppError} `invalid-configuration` with every problem of every source.
 */
export function resolveConfig(sources: ConfigSources): ResolvedConfig {
  const {config, origins, problems} = inspectConfig(sources);
  if (problems.length > 0) throw new AppError({code: 'invalid-configuration', problems});
  // Without a problem no setting was left out.
  return {config: config as Config, origins};
}

/** Brings all sources together, and goes on where one is wrong: for those who want to see what is. */
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

/** What options are completed with. */
export interface OptionSources {
  readonly defaults: Config;
  /** What relative paths start from. */
  readonly workingDirectory: string;
}

/**
 * Completes what a program gives, and checks it as strictly as what people give: a guard that takes
 * `allowOrigin: ['null']` would be none.
 *
 * @throws {AppError} `invalid-configuration` with every problem.
 */
export function readOptions(options: GivenSettings, {defaults, workingDirectory}: OptionSources): Config {
  const config: Record<string, unknown> = {...defaults};
  const problems: ConfigurationProblem[] = [];
  for (const [name, given] of Object.entries(options)) {
    if (!isSettingName(name)) problems.push(describeStranger({name, source: name, known: SETTING_NAMES}));
    // The default of a setting may be more than people can give.
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

/** The origin of a setting that nobody set. */
export const DEFAULT_ORIGIN = 'default';

interface Given {
  readonly value: unknown;
  /** How people call where it came from. */
  readonly source: string;
  readonly directory: string;
}

function findGiven(name: SettingName, {flags, environment, file, workingDirectory}: ConfigSources): Given | undefined {
  if (flags[name] !== undefined) return {value: flags[name], source: flagOf(name), directory: workingDirectory};
  const variable = environment[variableOf(name)];
  // An empty variable is how many programs unset one for those they start.
  if (variable !== undefined && variable !== '')
    return {value: variable, source: variableOf(name), directory: workingDirectory};
  const members = membersOf(file);
  if (file !== undefined && Object.hasOwn(members, name))
    return {value: members[name], source: sourceInFile(name, file), directory: dirname(file.path)};
  return undefined;
}

/** What is wrong with the sources themselves: a file that is none, and names that no setting has. */
function findSourceProblems({environment, file}: ConfigSources): ConfigurationProblem[] {
  const variables = new Set([...SETTING_NAMES.map(variableOf), CONFIG_FILE_VARIABLE]);
  const problems = Object.keys(environment)
    .filter(name => name.startsWith(VARIABLE_PREFIX) && environment[name] !== '' && !variables.has(name))
    .map(name => describeStranger({name, source: name, known: variables}));
  if (file === undefined) return problems;
  const problem = 'problem' in file ? file.problem : isObject(file.content) ? undefined : 'is not a JSON object';
  if (problem !== undefined) return [...problems, {setting: '', source: file.path, problem}];
  const strangers = Object.keys(membersOf(file)).filter(name => !isSettingName(name) && name !== SCHEMA_MEMBER);
  return [
    ...problems,
    ...strangers.map(name => describeStranger({name, source: sourceInFile(name, file), known: SETTING_NAMES})),
  ];
}

/** Tells editors which schema a JSON file has; it sets nothing. */
const SCHEMA_MEMBER = '$schema';

interface Stranger {
  readonly name: string;
  readonly source: string;
  readonly known: Iterable<string>;
}

/** A name that no setting has is most often a slip of the fingers, which should not go unnoticed. */
function describeStranger({name, source, known}: Stranger): ConfigurationProblem {
  const similar = findSimilar(name, known);
  const problem = similar === undefined ? 'is no setting' : `is no setting; did you mean ${similar}?`;
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
