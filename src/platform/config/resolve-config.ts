import {dirname} from 'node:path';
import {findSimilar, suggest} from '../../core/domain/commits/option-names.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {ConfigurationProblem} from '../../core/failures/members/problems.ts';
import {isObject, type JsonMembers, membersOf} from '../../core/json/members.ts';
import type {PathBase} from '../paths.ts';
import {
  CONFIG_FILE_VARIABLE,
  type Config,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  settingFlagOf,
  URL_VARIABLE,
  VARIABLE_PREFIX,
  variableOf,
} from './config.ts';

/** Values that are given under the name of their setting, unchecked. */
export type GivenSettings = {readonly [N in SettingName]?: unknown};

/** The sources of settings. The first one that has a setting wins: flags, environment, file, defaults. */
export interface ConfigSources extends PathBase {
  readonly flags: GivenSettings;
  /** All variables of the environment; those that begin with `CREWROOM_` count. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The config file, if there is one. */
  readonly file?: ConfigFile | undefined;
  readonly defaults: Config;
}

/** A config file: its JSON value, or the problem with it. */
export type ConfigFile = {readonly path: string} & ({readonly content: unknown} | {readonly problem: string});

/** The settings of all sources, with their problems. */
export interface InspectedConfig extends Pick<ResolvedConfig, 'origins'> {
  /** Without the invalid settings. */
  readonly config: Partial<Config>;
  /** Every problem of every source. */
  readonly problems: readonly ConfigurationProblem[];
}

/** A configuration, with the origin of each setting. */
export interface ResolvedConfig {
  readonly config: Config;
  readonly origins: {readonly [N in SettingName]: string};
}

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
      given === undefined ? {value: sources.defaults[name]} : SETTINGS[name].read(given.value, given.base);
    origins[name] = given?.source ?? DEFAULT_ORIGIN;
    if ('value' in reading) config[name] = reading.value;
    else problems.push({setting: name, source: origins[name], problem: reading.problem});
  }
  // Each name was given the value that its own reader made.
  return {config: completed(config as Partial<Config>), origins: origins as InspectedConfig['origins'], problems};
}

/** The defaults for {@link readOptions}. */
export interface OptionSources extends PathBase {
  readonly defaults: Config;
  /** The settings that are options. */
  readonly names: readonly SettingName[];
}

/**
 * Completes the options of an embedding program, and checks them as strictly as those of users: a guard that accepts
 * `allowOrigins: ['null']` would be useless.
 *
 * @throws {AppError} `invalid-configuration` with every problem.
 */
export function readOptions(options: GivenSettings, {defaults, names, ...base}: OptionSources): Config {
  const config: Record<string, unknown> = {...defaults};
  const problems: ConfigurationProblem[] = [];
  for (const [name, given] of Object.entries(options)) {
    if (!isSettingName(name, names)) problems.push(describeUnknown({name, source: name, known: names}));
    else if (given !== undefined) {
      const reading = SETTINGS[name].read(given, base);
      if ('value' in reading) config[name] = reading.value;
      else problems.push({setting: name, source: name, problem: reading.problem});
    }
  }
  if (problems.length > 0) throw new AppError({code: 'invalid-configuration', problems});
  // Each name was given the value that its own reader made.
  return completed(config as unknown as Config);
}

/** A store in memory means that nothing else is kept on disk either. */
function completed<C extends Partial<Config>>(config: C): C {
  return config.store === 'memory' ? {...config, ephemeral: true} : config;
}

/** The origin of a default. */
export const DEFAULT_ORIGIN = 'default';

interface Given {
  readonly value: unknown;
  /** The name of the source for users. */
  readonly source: string;
  readonly base: PathBase;
}

function findGiven(name: SettingName, sources: ConfigSources): Given | undefined {
  const {flags, environment, file, homeDir} = sources;
  if (flags[name] !== undefined) return {value: flags[name], source: settingFlagOf(name), base: sources};
  const variable = environment[variableOf(name)];
  // Many programs unset a variable for their children by making it empty.
  if (variable !== undefined && variable !== '') return {value: variable, source: variableOf(name), base: sources};
  const members = membersIn(file);
  if (file !== undefined && Object.hasOwn(members, name))
    return {
      value: members[name],
      source: sourceInFile(name, file),
      base: {workingDirectory: dirname(file.path), homeDir},
    };
  return undefined;
}

/** Finds the problems of the sources themselves: an unreadable file, and unknown names. */
function findSourceProblems({environment, file}: ConfigSources): ConfigurationProblem[] {
  const variables = new Set([...SETTING_NAMES.map(variableOf), CONFIG_FILE_VARIABLE]);
  const problems = Object.keys(environment)
    .filter(name => name.startsWith(VARIABLE_PREFIX) && environment[name] !== '')
    .filter(name => !variables.has(name) && name !== URL_VARIABLE)
    .map(name => describeUnknown({name, source: name, known: variables}));
  if (file === undefined) return problems;
  const problem = 'problem' in file ? file.problem : isObject(file.content) ? undefined : 'is not a JSON object';
  if (problem !== undefined) return [...problems, {setting: '', source: file.path, problem}];
  const unknown = Object.keys(membersIn(file)).filter(name => !isSettingName(name) && name !== SCHEMA_MEMBER);
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
  return {setting: name, source, problem: `is not a setting${suggest(findSimilar(name, known))}`};
}

function membersIn(file: ConfigFile | undefined): JsonMembers {
  return file !== undefined && 'content' in file ? membersOf(file.content) : {};
}

function sourceInFile(name: string, {path}: ConfigFile): string {
  return `${JSON.stringify(name)} in ${path}`;
}

function isSettingName(name: string, names = SETTING_NAMES): name is SettingName {
  return names.some(each => each === name);
}
