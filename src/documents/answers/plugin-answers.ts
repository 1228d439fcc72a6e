import * as v from 'valibot';
import {FLIGHT_PHASES} from '../../domain/plugins/flight.ts';
import {closed, described, mapOf, TIME} from '../kinds.ts';
import {anyText, count, maybe, whole} from './answer-kinds.ts';

/** Plugin in an answer. */
export const PLUGIN = closed({
  id: anyText,
  name: anyText,
  version: anyText,
  type: anyText,
  description: anyText,
  state: v.picklist(['page-only', 'waiting', 'starting', 'running', 'restarting', 'stopped', 'broken']),
  reason: maybe(anyText, 'Why it is broken, waiting, restarting or stopped.'),
  warnings: v.array(anyText),
  inDevelopment: v.boolean(),
  hasPage: v.boolean(),
  hasBackground: v.boolean(),
  icons: maybe(
    v.array(v.picklist(['dark', 'light'])),
    'Themes for which its page has `menu_icon_dark.png` or `menu_icon_light.png`.',
  ),
  label: maybe(anyText, 'Its page has an origin of its own: `http://<label>.crewroom.localhost`.'),
  routes: v.array(closed({method: v.picklist(['GET', 'POST']), name: anyText, description: anyText})),
  directory: anyText,
  stamp: described(anyText, 'Changes with its folder, its manifest and the files of its background.'),
  page: maybe(anyText, 'Changes with the files of its page, if it is in development.'),
  storagePath: maybe(anyText, 'Directory for the files of its background.'),
  ends: described(whole, 'Number of times that its background ended by itself.'),
  startedAt: v.optional(TIME),
  memoryBytes: maybe(whole, 'Resident memory of its background.'),
});

/** Answer of GET /api/plugins. */
export const PLUGIN_LIST = closed({
  plugins: v.array(PLUGIN),
  directory: maybe(anyText, 'Directory of installed plugins.'),
  directoryProblem: maybe(anyText, 'Why the directory of plugins is not used.'),
});

/** Answer of GET /api/plugins/installed, in the form of published clients. */
export const INSTALLED = v.array(
  closed({id: anyText, name: anyText, version: anyText, type: anyText, description: anyText, ui: v.boolean()}),
);

/** Answer of GET /api/plugins/{id}/logs. */
export const PLUGIN_LOGS = closed({
  lines: v.array(closed({at: TIME, level: v.picklist(['error', 'info', 'debug']), text: anyText})),
});

/** Settings of one id. */
export const SETTING_VALUES = mapOf(v.unknown());

/** Answer of GET /api/settings/{id}/available. */
export const AVAILABLE_SETTINGS = closed({
  settings: v.array(
    closed({
      key: anyText,
      type: v.picklist(['boolean', 'string', 'number', 'list']),
      settingType: v.picklist(['airline', 'user']),
      name: v.optional(anyText),
      description: v.optional(anyText),
      default: v.optional(v.unknown()),
      required: v.optional(v.boolean()),
      advanced: v.optional(v.boolean()),
      order: v.optional(v.number()),
      minLength: v.optional(v.number()),
      options: v.optional(v.array(closed({value: v.union([anyText, v.number()]), label: anyText}))),
      when: v.optional(closed({key: anyText, value: v.unknown()})),
    }),
  ),
});

/** Answer of GET /api/settings. */
export const ALL_SETTINGS = mapOf(SETTING_VALUES);

/** Answer of GET /api/config. */
export const CLIENT_CONFIG = closed({config: v.unknown()});

const AIRPORT = closed({code: anyText, name: anyText, latitude: v.number(), longitude: v.number()});

const phase = v.picklist(FLIGHT_PHASES);

const FLIGHT_STATUS = closed({
  phase,
  latitude: v.number(),
  longitude: v.number(),
  headingDegrees: v.number(),
  altitudeFeet: v.number(),
  verticalSpeedFeetPerMinute: v.number(),
  groundSpeedKnots: v.number(),
  flownNauticalMiles: v.number(),
  toGoNauticalMiles: v.number(),
  from: AIRPORT,
  to: AIRPORT,
  number: anyText,
  bidId: v.optional(anyText),
  speed: described(v.number(), 'Simulated seconds per second.'),
  seed: whole,
  isPaused: v.boolean(),
  isConnected: described(v.boolean(), 'Whether the simulator is connected.'),
  elapsedSeconds: described(v.number(), 'Simulated time since the start.'),
  cruiseFeet: v.number(),
});

/** Answer of /api/flight. */
export const FLIGHT = closed({
  flight: maybe(FLIGHT_STATUS, 'Absent if there is no flight.'),
  phases: described(v.array(phase), 'Phases that a flight can jump to, in their order.'),
});

/** Body of POST /api/flight. `readFlightCommand` reads it, and reports the first problem only. */
export const FLIGHT_COMMAND = v.union([
  closed({
    action: v.literal('start'),
    from: v.optional(anyText),
    to: v.optional(anyText),
    speed: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(1000))),
    seed: v.optional(count),
    bidId: v.optional(anyText),
  }),
  closed({action: v.literal('jump'), phase}),
  closed({action: v.picklist(['pause', 'disconnect'])}),
]);
