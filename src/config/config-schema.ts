import * as v from 'valibot';
import {closed} from '../documents/kinds.ts';
import {ACCESS_MODES} from '../domain/access.ts';
import {LIMIT_RANGES, type LimitSettings} from '../domain/limits.ts';
import {DEFAULTS, LOG_LEVELS, SETTING_NAMES, SETTINGS, type SettingName} from './config.ts';

const text = v.pipe(v.string(), v.minLength(1));
const list = v.union([v.array(text), text]);

/** The settings in the form that people write. The service also reads other forms, such as numbers as text. */
const MEMBERS = {
  host: text,
  port: wholeNumber(0, 65_535),
  profile: text,
  airline: text,
  allowPlainHttp: v.boolean(),
  keep: v.boolean(),
  dataDir: text,
  store: text,
  ephemeral: v.boolean(),
  plugins: text,
  plugin: list,
  pluginConfig: text,
  access: v.picklist(ACCESS_MODES),
  allowOrigin: list,
  allowHost: list,
  allowUser: list,
  fault: list,
  valueBytesMax: limitOf('valueBytesMax'),
  valueDepthMax: limitOf('valueDepthMax'),
  connectionsMax: limitOf('connectionsMax'),
  tokenFile: text,
  logFile: text,
  logLevel: v.picklist(LOG_LEVELS),
} as const satisfies {readonly [N in SettingName]: v.GenericSchema};

/** The config file, for editors: the service reads each setting as its flag. */
export const CONFIG_SCHEMA = closed(Object.fromEntries(SETTING_NAMES.map(name => [name, describeMember(name)])));

function wholeNumber(min: number, max: number): v.GenericSchema<number> {
  return v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
}

function limitOf(name: keyof LimitSettings): v.GenericSchema<number> {
  const {min, max} = LIMIT_RANGES[name];
  return wholeNumber(min, max);
}

/** Describes a member as the help of its flag does, with its default unless that is empty. */
function describeMember(name: SettingName): v.GenericSchema {
  const description = name === 'keep' ? 'keep the session over a restart' : SETTINGS[name].description;
  const value = name === 'dataDir' ? '' : DEFAULTS[name];
  const isEmpty = value === '' || Array.isArray(value);
  return v.pipe(
    v.optional(MEMBERS[name] as v.GenericSchema, undefined),
    v.metadata({description, ...(isEmpty ? {} : {default: value})}),
  );
}
