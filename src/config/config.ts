import {ACCESS_MODES, type AccessMode} from '../domain/access/access.ts';
import {findOriginProblem} from '../domain/access/web-origin.ts';
import {DEFAULT_LIMITS, LIMIT_RANGES, type LimitSettings} from '../domain/limits.ts';
import type {PathBase} from '../paths.ts';
import {isBlockedPort} from './blocked-ports.ts';
import {
  choiceOf,
  type Form,
  findFaultProblem,
  findHostProblem,
  findUserProblem,
  listOf,
  PATH,
  PATHS,
  type Reading,
  type Setting,
  SWITCH,
  TEXT,
  wholeNumber,
} from './setting.ts';
import {readStoreSetting} from './store-location.ts';

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
  /** True if passwords and sessions may be sent to back ends of other machines over plain `http`. */
  readonly allowPlainHttp: boolean;
  /** True if a session is kept over a restart. */
  readonly keep: boolean;
  /** Directory of the store; empty if none was given, and this user has no home directory for the default one. */
  readonly dataDir: string;
  /** Place of the entries: `lmdb` for the data directory, `memory`, or an address of etcd such as `etcd://host:2379/crewroom`. */
  readonly store: string;
  /** True if the store is in memory and lost at the end, unless `store` names an engine on the network. */
  readonly ephemeral: boolean;
  /** Directory of installed plugins, or empty for the one beside the data directory; none if `ephemeral`. */
  readonly plugins: string;
  /** Folders of plugins in development. */
  readonly plugin: readonly string[];
  /** A file with the configuration that plugins read, or empty for none. */
  readonly pluginConfig: string;
  /** Mode of access: limits what plugins may do, and programs without a token. */
  readonly access: AccessMode;
  /** Origins of web pages that may call, exactly as browsers send them. */
  readonly allowOrigin: readonly string[];
  /** Host names besides the loopback ones that may be called. */
  readonly allowHost: readonly string[];
  /** Names or ids of other users of this machine whose programs may call. */
  readonly allowUser: readonly string[];
  /** Faults that are on from the start, as texts such as `delay 500ms --path /api/store/*`. */
  readonly fault: readonly string[];
  /** A file with the token that commands send to the service, or empty for none. */
  readonly tokenFile: string;
  /** A file to which `crewroom start` appends its log, or empty for none. */
  readonly logFile: string;
  /** The lowest level that is logged. */
  readonly logLevel: LogLevel;
}

/** A level of log messages. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** All levels. */
export const LOG_LEVELS = ['error', 'info', 'debug'] as const;

/** The name of a setting, which is also its member in the config file. Its flag and variable: {@link flagOf}, {@link variableOf}. */
export type SettingName = keyof Config;

const PORT = wholeNumber({min: 0, max: 65_535}, 7172);

/** The settings, in the order in which they are shown. */
export const SETTINGS: {readonly [N in SettingName]: Setting<Config[N]>} = {
  host: {
    placeholder: 'HOST',
    description: 'loopback address; localhost is 127.0.0.1 and ::1',
    ...TEXT,
    default: 'localhost',
  },
  port: {
    placeholder: 'PORT',
    description: 'port to listen on, or to call',
    ...PORT,
    read: readPort,
  },
  profile: {
    placeholder: 'FILE',
    description: 'identity document to serve, or "none"',
    ...PATH,
    read: readProfileSetting,
  },
  airline: {placeholder: 'FILE', description: 'airline at whose back end pilots sign in', ...PATH},
  allowPlainHttp: {description: 'send passwords to airlines without https', ...SWITCH},
  keep: {description: 'keep the session in memory, not over a restart', ...SWITCH, default: true},
  dataDir: {placeholder: 'DIR', description: 'directory of the store', ...PATH},
  store: {
    placeholder: 'URL',
    description: 'lmdb, memory, or etcd://HOST:PORT,…/PREFIX',
    ...TEXT,
    default: 'lmdb',
    read: readStoreSetting,
  },
  ephemeral: {description: 'keep everything in memory, nothing on disk', ...SWITCH},
  plugins: {placeholder: 'DIR', description: 'directory of installed plugins', ...PATH},
  plugin: {placeholder: 'DIR', description: 'plugin in development', repeatable: true, ...PATHS},
  pluginConfig: {placeholder: 'FILE', description: 'configuration that plugins read', ...PATH},
  access: {
    placeholder: 'MODE',
    description: 'open, attributed or strict: what plugins may do',
    ...choiceOf(ACCESS_MODES, 'open'),
  },
  allowOrigin: {
    placeholder: 'ORIGIN',
    description: 'let web pages of this origin call',
    repeatable: true,
    ...listOf(findOriginProblem),
  },
  allowHost: {
    placeholder: 'NAME',
    description: 'answer to this host name too',
    repeatable: true,
    ...listOf(findHostProblem),
  },
  allowUser: {
    placeholder: 'NAME',
    description: 'on Linux: answer this user too',
    repeatable: true,
    ...listOf(findUserProblem),
  },
  fault: {
    placeholder: 'FAULT',
    description: 'fault for tests, such as "delay 500ms"',
    repeatable: true,
    ...listOf(findFaultProblem),
  },
  valueBytesMax: {placeholder: 'BYTES', description: 'largest value', ...limitOf('valueBytesMax')},
  valueDepthMax: {placeholder: 'LEVELS', description: 'deepest nesting of a value', ...limitOf('valueDepthMax')},
  connectionsMax: {placeholder: 'N', description: 'most connections at once', ...limitOf('connectionsMax')},
  tokenFile: {placeholder: 'FILE', description: 'send the token in this file', ...PATH},
  logFile: {placeholder: 'FILE', description: 'append the log to this file too', ...PATH},
  logLevel: {
    placeholder: 'LEVEL',
    description: 'error, info or debug',
    ...choiceOf(LOG_LEVELS, 'info'),
  },
};

/** The names of all settings, in that order. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The default of every setting; that of the data directory depends on the platform. */
export const DEFAULTS = Object.fromEntries(
  SETTING_NAMES.map(name => [name, SETTINGS[name].default]),
) as unknown as Config;

/** The variable that names the config file, like `--config`; otherwise the file is at the default path of the platform. */
export const CONFIG_FILE_VARIABLE = 'CREWROOM_CONFIG';

/** The variable with the address of the service, for programs that `crewroom run` starts. It is not a setting. */
export const URL_VARIABLE = 'CREWROOM_URL';

/** Returns the flag for a name in camel case, such as `--data-dir`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

/** Returns the flag that changes a setting from its default: `--no-…` if it is on by default. */
export function shownFlagOf(name: SettingName): string {
  return DEFAULTS[name] === true ? flagOf(name).replace('--', '--no-') : flagOf(name);
}

/** Returns the environment variable of a setting, such as `CREWROOM_DATA_DIR`. */
export function variableOf(name: SettingName): string {
  return `${VARIABLE_PREFIX}${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`;
}

/** The beginning of the environment variable of every setting. */
export const VARIABLE_PREFIX = 'CREWROOM_';

function readPort(given: unknown, base: PathBase): Reading<number> {
  const reading = PORT.read(given, base);
  return 'value' in reading && isBlockedPort(reading.value)
    ? {problem: 'is a port that browsers and fetch() never call, so that no plugin would reach the service'}
    : reading;
}

function readProfileSetting(given: unknown, base: PathBase): Reading<string> {
  return given === 'none' ? {value: given} : PATH.read(given, base);
}

function limitOf(name: keyof LimitSettings): Form<number> {
  return wholeNumber(LIMIT_RANGES[name], DEFAULT_LIMITS[name]);
}
