import {z} from 'zod';
import {DEFAULTS, LOG_LEVELS, SETTING_NAMES, SETTINGS, type SettingName} from '../config/config.ts';
import {ACCESS_MODES} from '../domain/access.ts';
import {LIMIT_RANGES, type LimitSettings} from '../domain/limits.ts';

const path = z.string().min(1);
const list = z.union([z.array(z.string().min(1)), z.string().min(1)]);

/** The settings in the form that people write. The service also reads other forms, such as numbers as text. */
const MEMBERS = {
  host: z.string().min(1),
  port: z.int().min(0).max(65_535),
  profile: path,
  airline: path,
  allowPlainHttp: z.boolean(),
  keep: z.boolean().meta({description: 'keep the session over a restart'}),
  dataDir: path,
  store: z.string().min(1),
  ephemeral: z.boolean(),
  plugins: path,
  plugin: list,
  pluginConfig: path,
  access: z.enum(ACCESS_MODES),
  allowOrigin: list,
  allowHost: list,
  allowUser: list,
  fault: list,
  valueBytesMax: limitOf('valueBytesMax'),
  valueDepthMax: limitOf('valueDepthMax'),
  connectionsMax: limitOf('connectionsMax'),
  tokenFile: path,
  logFile: path,
  logLevel: z.enum(LOG_LEVELS),
} as const satisfies {readonly [N in SettingName]: z.ZodType};

/** The config file. */
export const CONFIG_SCHEMA = z.strictObject({
  ...Object.fromEntries(SETTING_NAMES.map(name => [name, describeMember(name)])),
});

function limitOf(name: keyof LimitSettings): z.ZodType<number> {
  const {min, max} = LIMIT_RANGES[name];
  return z.int().min(min).max(max);
}

/** Describes a member as the help of its flag does, with its default unless that is empty. */
function describeMember(name: SettingName): z.ZodType {
  const member: z.ZodType = MEMBERS[name];
  const value = name === 'dataDir' ? '' : DEFAULTS[name];
  const isEmpty = value === '' || Array.isArray(value);
  return member
    .optional()
    .meta({description: SETTINGS[name].description, ...member.meta(), ...(isEmpty ? {} : {default: value})});
}
