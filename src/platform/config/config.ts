import {ACCESS_MODES, type AccessMode} from '../../core/domain/access/access.ts';
import {DEFAULT_LIMITS, LIMIT_RANGES, type LimitSettings} from '../../core/domain/limits.ts';
import {findOriginProblem} from '../../core/failures/web-origin.ts';
import type {PathBase} from '../paths.ts';
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

/** Settings of a service that programs that embed it may choose, too. */
export interface ServiceSettings {
  /** A loopback address, or `localhost` for both loopback addresses. */
  readonly host: string;
  /** TCP port; 0 lets the system choose. */
  readonly port: number;
  /** A file with an airline, at whose back end pilots sign in. @default {that of the profile} */
  readonly airline: string;
  /** True if passwords and sessions may be sent to back ends of other machines over plain `http`. */
  readonly allowPlainHttp: boolean;
  /** True if a session is kept over a restart. */
  readonly keepSession: boolean;
  /** Directory of installed plugins. @default {the one beside the data directory; none if everything is in memory} */
  readonly pluginsDir: string;
  /** Folders of plugins in development. */
  readonly devPlugins: readonly string[];
  /** A file with the configuration that plugins read. @default {none} */
  readonly pluginConfig: string;
  /** Number of days for which the snapshots that it makes each day are kept; 0 makes none. A store in memory or on a network has none. */
  readonly dailySnapshots: number;
  /** Mode of access: limits what plugins may do, and programs without a token. */
  readonly access: AccessMode;
  /** Origins of web pages that may call, exactly as browsers send them. */
  readonly allowOrigins: readonly string[];
  /** Host names besides the loopback ones that may be called. */
  readonly allowHosts: readonly string[];
  /** Names or ids of other users of this machine whose programs may call. */
  readonly allowUsers: readonly string[];
}

/** All settings, with the values in force. A text that is not given is empty. */
export interface Config extends ServiceSettings, LimitSettings {
  /** A file with an identity document, `none` for no identity, or empty for the sample identity. */
  readonly profile: string;
  /** Directory of the store; empty if none was given, and this user has no home directory for the default one. */
  readonly dataDir: string;
  /** Place of the entries: `lmdb` for the data directory, `memory`, or an address of etcd such as `etcd://host:2379/crewroom`. */
  readonly store: string;
  /** True if the store is in memory and lost at the end, unless `store` names an engine on the network. */
  readonly ephemeral: boolean;
  /** Faults that are on from the start, as texts such as `delay 500ms --path /api/store/*`. */
  readonly faults: readonly string[];
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

/** The name of a setting, which is also its member in the config file. Its flag and variable: {@link settingFlagOf}, {@link variableOf}. */
export type SettingName = keyof Config;

const DAYS = {min: 0, max: 365};
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
  keepSession: {description: 'keep the session over a restart', ...SWITCH, default: true},
  dataDir: {placeholder: 'DIR', description: 'directory of the store', ...PATH},
  store: {
    placeholder: 'URL',
    description: 'lmdb, memory, or etcd://HOST:PORT,…/PREFIX',
    ...TEXT,
    default: 'lmdb',
    read: readStoreSetting,
  },
  ephemeral: {description: 'keep everything in memory, nothing on disk', ...SWITCH},
  dailySnapshots: {placeholder: 'DAYS', description: 'keep daily snapshots so long; 0: off', ...wholeNumber(DAYS, 7)},
  pluginsDir: {placeholder: 'DIR', description: 'directory of installed plugins', ...PATH},
  devPlugins: {placeholder: 'DIR', description: 'plugin in development', repeatable: true, ...PATHS},
  pluginConfig: {placeholder: 'FILE', description: 'configuration that plugins read', ...PATH},
  access: {
    placeholder: 'MODE',
    description: 'open, attributed or strict: what plugins may do',
    ...choiceOf(ACCESS_MODES, 'open'),
  },
  allowOrigins: {
    placeholder: 'ORIGIN',
    description: 'let web pages of this origin call',
    repeatable: true,
    ...listOf(findOriginProblem),
  },
  allowHosts: {
    placeholder: 'NAME',
    description: 'answer to this host name too',
    repeatable: true,
    ...listOf(findHostProblem),
  },
  allowUsers: {
    placeholder: 'NAME',
    description: 'on Linux: answer this user too',
    repeatable: true,
    ...listOf(findUserProblem),
  },
  faults: {
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

/** The variable that names the config file, like `--config`; otherwise the file is at the platform's default path. */
export const CONFIG_FILE_VARIABLE = 'CREWROOM_CONFIG';

/** The variable with the address of the service, for programs that `crewroom run` starts. It is not a setting. */
export const URL_VARIABLE = 'CREWROOM_URL';

/** Returns the flag for a name in camel case, such as `--data-dir`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}

/** Returns the flag of a setting: its name, of a list in the singular, since the flag adds one value. */
export function settingFlagOf(name: SettingName): string {
  return flagOf(SETTINGS[name].repeatable ? name.replace(/s$/, '') : name);
}

/** Returns the flag that changes a setting from its default: `--no-…` if it is on by default. */
export function shownFlagOf(name: SettingName): string {
  return DEFAULTS[name] === true ? settingFlagOf(name).replace('--', '--no-') : settingFlagOf(name);
}

/** Returns the environment variable of a setting, such as `CREWROOM_DATA_DIR`. */
export function variableOf(name: SettingName): string {
  return `${VARIABLE_PREFIX}${name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`;
}

/** The beginning of the environment variable of every setting. */
export const VARIABLE_PREFIX = 'CREWROOM_';

function readPort(given: unknown, base: PathBase): Reading<number> {
  const reading = PORT.read(given, base);
  return 'value' in reading && BLOCKED_PORTS.has(reading.value)
    ? {problem: 'is a port that browsers and fetch() never call, so that no plugin would reach the service'}
    : reading;
}

function readProfileSetting(given: unknown, base: PathBase): Reading<string> {
  return given === 'none' ? {value: given} : PATH.read(given, base);
}

function limitOf(name: keyof LimitSettings): Form<number> {
  return wholeNumber(LIMIT_RANGES[name], DEFAULT_LIMITS[name]);
}

/**
 * Ports above 1023 that browsers and `fetch` never call, since other protocols use them. Source: the Fetch standard, section 2.9, "port blocking". Ports below are
 * not listed: they need rights that no service should have, and programs that embed it may answer requests without a socket.
 */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);
