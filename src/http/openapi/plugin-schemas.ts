import {z} from 'zod';
import {FLIGHT_PHASES} from '../../domain/flight.ts';

/** Plugin in an answer. */
export const PLUGIN = z.strictObject({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  type: z.string(),
  description: z.string(),
  state: z.enum(['page-only', 'waiting', 'starting', 'running', 'restarting', 'stopped', 'broken']),
  reason: z.string().optional().meta({description: 'Why it is broken, waiting, restarting or stopped.'}),
  warnings: z.array(z.string()),
  inDevelopment: z.boolean(),
  hasPage: z.boolean(),
  hasBackground: z.boolean(),
  icons: z
    .array(z.enum(['dark', 'light']))
    .optional()
    .meta({description: 'Themes for which its page has `menu_icon_dark.png` or `menu_icon_light.png`.'}),
  label: z
    .string()
    .optional()
    .meta({description: 'Its page has an origin of its own: `http://<label>.crewroom.localhost`.'}),
  routes: z.array(z.strictObject({method: z.enum(['GET', 'POST']), name: z.string(), description: z.string()})),
  directory: z.string(),
  stamp: z.string().meta({description: 'Changes with its folder, its manifest and the files of its background.'}),
  page: z.string().optional().meta({description: 'Changes with the files of its page, if it is in development.'}),
  storagePath: z.string().optional().meta({description: 'Directory for the files of its background.'}),
  ends: z.int().meta({description: 'Number of times that its background ended by itself.'}),
  startedAt: z.iso.datetime().optional(),
  memoryBytes: z.int().optional().meta({description: 'Resident memory of its background.'}),
});

/** Answer of GET /api/plugins. */
export const PLUGIN_LIST = z.strictObject({
  plugins: z.array(PLUGIN),
  directory: z.string().optional().meta({description: 'Directory of installed plugins.'}),
  directoryProblem: z.string().optional().meta({description: 'Why the directory of plugins is not used.'}),
});

/** Answer of GET /api/plugins/installed, in the form of published clients. */
export const INSTALLED = z.array(
  z.strictObject({
    id: z.string(),
    name: z.string(),
    version: z.string(),
    type: z.string(),
    description: z.string(),
    ui: z.boolean(),
  }),
);

/** Answer of GET /api/plugins/{id}/logs. */
export const PLUGIN_LOGS = z.strictObject({
  lines: z.array(z.strictObject({at: z.iso.datetime(), level: z.enum(['error', 'info', 'debug']), text: z.string()})),
});

/** Settings of one id. */
export const SETTING_VALUES = z.record(z.string(), z.unknown());

/** Answer of GET /api/settings/{id}/available. */
export const AVAILABLE_SETTINGS = z.strictObject({
  settings: z.array(
    z.strictObject({
      key: z.string(),
      type: z.enum(['boolean', 'string', 'number', 'list']),
      settingType: z.enum(['airline', 'user']),
      name: z.string().optional(),
      description: z.string().optional(),
      default: z.unknown().optional(),
      required: z.boolean().optional(),
      advanced: z.boolean().optional(),
      order: z.number().optional(),
      minLength: z.number().optional(),
      options: z.array(z.strictObject({value: z.union([z.string(), z.number()]), label: z.string()})).optional(),
      when: z.strictObject({key: z.string(), value: z.unknown()}).optional(),
    }),
  ),
});

/** Answer of GET /api/settings. */
export const ALL_SETTINGS = z.record(z.string(), SETTING_VALUES);

/** Answer of GET /api/config. */
export const CLIENT_CONFIG = z.strictObject({config: z.unknown()});

const AIRPORT = z.strictObject({code: z.string(), name: z.string(), latitude: z.number(), longitude: z.number()});

const FLIGHT_STATUS = z.strictObject({
  phase: z.enum(FLIGHT_PHASES),
  latitude: z.number(),
  longitude: z.number(),
  headingDegrees: z.number(),
  altitudeFeet: z.number(),
  verticalSpeedFeetPerMinute: z.number(),
  groundSpeedKnots: z.number(),
  flownNauticalMiles: z.number(),
  toGoNauticalMiles: z.number(),
  from: AIRPORT,
  to: AIRPORT,
  number: z.string(),
  bidId: z.string().optional(),
  speed: z.number().meta({description: 'Simulated seconds per second.'}),
  seed: z.int(),
  isPaused: z.boolean(),
  isConnected: z.boolean().meta({description: 'Whether the simulator is connected.'}),
  elapsedSeconds: z.number().meta({description: 'Simulated time since the start.'}),
  cruiseFeet: z.number(),
});

/** Answer of /api/flight. */
export const FLIGHT = z.strictObject({
  flight: FLIGHT_STATUS.optional().meta({description: 'Absent if there is no flight.'}),
  phases: z.array(z.enum(FLIGHT_PHASES)).meta({description: 'Phases that a flight can jump to, in their order.'}),
});

/** Body of POST /api/flight, for the documentation: `readFlightCommand` parses it. */
export const FLIGHT_COMMAND = z.union([
  z.strictObject({
    action: z.literal('start'),
    from: z.string().optional(),
    to: z.string().optional(),
    speed: z.number().min(1).max(1000).optional(),
    seed: z.int().min(0).optional(),
    bidId: z.string().optional(),
  }),
  z.strictObject({action: z.literal('jump'), phase: z.enum(FLIGHT_PHASES)}),
  z.strictObject({action: z.enum(['pause', 'disconnect'])}),
]);
