import {refusedSetting} from '../core/failures/app-error.ts';
import {type Config, DEFAULTS, SETTING_NAMES, type SettingName} from '../platform/config/config.ts';
import {readOptions} from '../platform/config/resolve-config.ts';
import {platformPaths} from '../platform/paths.ts';
import {openService} from './app.ts';
import type {Crewroom, CrewroomOptions, Service, ServiceParts} from './crewroom.ts';

/**
 * Opens the service inside this program: the same store, identity, guard and answers as `crewroom start`.
 *
 * @throws {AppError} `invalid-configuration` with every problem of the options; `unsafe-host`; `invalid-profile`,
 * `invalid-airline`; `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`, `store-corrupt`;
 * `invalid-token-file`, `invalid-rules-file`. Nothing stays open then.
 *
 * @example
 * ```ts
 * import {openCrewroom} from 'crewroom';
 *
 * const crewroom = await openCrewroom({store: 'memory'});
 * await crewroom.entries.put('greeting', 'hello');
 * await crewroom[Symbol.asyncDispose]();
 * ```
 */
export async function openCrewroom(options: CrewroomOptions): Promise<Crewroom> {
  return openWithOptions(options);
}

/** Opens the service like {@link openCrewroom}, with parts that only tests replace. */
export async function openWithOptions(options: CrewroomOptions, parts: Partial<ServiceParts> = {}): Promise<Service> {
  // Programs in JavaScript may pass nothing.
  const {openIdentity, log, keychain, ...settings} = options ?? {};
  const ports = Object.entries({...parts, openIdentity, log, keychain}).filter(([, port]) => port !== undefined);
  return openService(readSettings(settings), Object.fromEntries(ports));
}

/** Settings that only commands have, or that options say in another way. */
const NO_OPTIONS: ReadonlySet<SettingName> = new Set(['ephemeral', 'faults', 'tokenFile', 'logFile', 'logLevel']);

const OPTION_NAMES = SETTING_NAMES.filter(name => !NO_OPTIONS.has(name));

function readSettings({profile, ...settings}: Partial<CrewroomOptions>): Config {
  if (settings.dataDir === undefined && settings.store !== 'memory') {
    const problem = 'is missing: name the directory of the data, or keep everything in memory with `store: "memory"`';
    throw refusedSetting('dataDir', problem);
  }
  // The setting has a word for no identity, and options have null: a file may have that name.
  const named = profile === null ? 'none' : profile === 'none' ? './none' : profile;
  const {homeDir} = platformPaths();
  const base = {defaults: DEFAULTS, names: OPTION_NAMES, workingDirectory: process.cwd(), homeDir};
  return readOptions({...settings, profile: named}, base);
}
