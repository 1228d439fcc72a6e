import * as v from 'valibot';
import {FLIGHT_PHASES, FLIGHT_SPEED_MAX} from '../../domain/plugins/flight.ts';
import {closed, described, mapOf, TIME} from '../kinds.ts';
import {count, maybe, text, whole} from './answer-kinds.ts';

/** Plugin in an answer. */
export const PLUGIN = closed({
  id: text,
  name: text,
  version: text,
  type: text,
  description: text,
  state: v.picklist(['page-only', 'waiting', 'starting', 'running', 'restarting', 'stopped', 'broken']),
  reason: maybe(text, 'Why it is broken, waiting, restarting or stopped.'),
  warnings: v.array(text),
  inDevelopment: v.boolean(),
  hasPage: v.boolean(),
  hasBackground: v.boolean(),
  icons: maybe(
    v.array(v.picklist(['dark', 'light'])),
    'Themes for which its page has `menu_icon_dark.png` or `menu_icon_light.png`.',
  ),
  label: maybe(text, 'Its page has an origin of its own: `http://<label>.crewroom.localhost`.'),
  routes: v.array(closed({method: v.picklist(['GET', 'POST']), name: text, description: text})),
  directory: text,
  stamp: described(text, 'Changes with its folder, its manifest and the files of its background.'),
  page: maybe(text, 'Changes with the files of its page, if it is in development.'),
  storagePath: maybe(text, 'Directory for the files of its background.'),
  ends: described(whole, 'Number of times that its background ended by itself.'),
  startedAt: v.optional(TIME),
  memoryBytes: maybe(whole, 'Resident memory of its background.'),
});

/** Answer of GET /api/plugins. */
export const PLUGIN_LIST = closed({
  plugins: v.array(PLUGIN),
  directory: maybe(text, 'Directory of installed plugins.'),
  directoryProblem: maybe(text, 'Why the directory of plugins is not used.'),
});

/** Answer of GET /api/plugins/installed, in the form of published clients. */
export const INSTALLED = v.array(
  closed({id: text, name: text, version: text, type: text, description: text, ui: v.boolean()}),
);

/** Answer of GET /api/plugins/{id}/logs. */
export const PLUGIN_LOGS = closed({
  lines: v.array(closed({at: TIME, level: v.picklist(['error', 'info', 'debug']), text})),
});

/** Settings of one id. */
export const SETTING_VALUES = mapOf(v.unknown());

/** Answer of GET /api/settings/{id}/available. */
export const AVAILABLE_SETTINGS = closed({
  settings: v.array(
    closed({
      key: text,
      type: v.picklist(['boolean', 'string', 'number', 'list']),
      settingType: v.picklist(['airline', 'user']),
      name: v.optional(text),
      description: v.optional(text),
      default: v.optional(v.unknown()),
      required: v.optional(v.boolean()),
      advanced: v.optional(v.boolean()),
      order: v.optional(v.number()),
      minLength: v.optional(v.number()),
      options: v.optional(v.array(closed({value: v.union([text, v.number()]), label: text}))),
      when: v.optional(closed({key: text, value: v.unknown()})),
    }),
  ),
});

/** Answer of GET /api/settings. */
export const ALL_SETTINGS = mapOf(SETTING_VALUES);

/** Answer of GET /api/config. */
export const CLIENT_CONFIG = closed({config: v.unknown()});

const AIRPORT = closed({code: text, name: text, latitude: v.number(), longitude: v.number()});

const phase = v.picklist(FLIGHT_PHASES);

const AIRCRAFT = closed({code: text, name: v.optional(text), registration: v.optional(text)});

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
  number: text,
  startedBy: maybe(
    text,
    'Caller that started it, such as `plugin:com.example.hello`; absent for a program without credentials.',
  ),
  code: maybe(text, 'Code of the airline; absent for that of the identity.'),
  aircraft: v.optional(AIRCRAFT),
  route: v.optional(v.array(text)),
  level: maybe(v.number(), 'Cruise as it was planned: a flight level up to 600, or in feet.'),
  fuel: v.optional(v.number()),
  pax: v.optional(v.number()),
  bidId: v.optional(text),
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

const lengthUpTo = (length: number) => v.pipe(text, v.metadata({maxLength: length}));
const upTo = (max: number) => v.pipe(v.number(), v.minValue(0), v.maxValue(max));
const degrees = (max: number) => v.pipe(v.number(), v.minValue(-max), v.maxValue(max));
const speed = v.pipe(v.number(), v.minValue(1), v.maxValue(FLIGHT_SPEED_MAX));
const airportCode = lengthUpTo(10);
const airport = v.union([
  described(airportCode, 'Code of an airport that the simulator knows.'),
  closed({
    code: airportCode,
    name: v.optional(lengthUpTo(100)),
    latitude: degrees(90),
    longitude: degrees(180),
  }),
]);

/** Body of POST /api/flight. `readFlightCommand` reads it, and reports the first problem only. */
export const FLIGHT_COMMAND = v.union([
  closed({
    action: v.literal('start'),
    from: v.optional(airport),
    to: v.optional(airport),
    number: v.optional(lengthUpTo(20)),
    code: v.optional(lengthUpTo(10)),
    aircraft: v.optional(
      closed({code: lengthUpTo(10), name: v.optional(lengthUpTo(100)), registration: v.optional(lengthUpTo(20))}),
    ),
    route: v.optional(v.pipe(v.array(lengthUpTo(50)), v.maxLength(500))),
    level: maybe(upTo(60_000), 'Cruise: a flight level up to 600, or in feet.'),
    fuel: v.optional(upTo(1_000_000)),
    pax: v.optional(upTo(1000)),
    speed: v.optional(speed),
    seed: v.optional(count),
    bidId: v.optional(v.union([lengthUpTo(100), whole])),
    phase: v.optional(phase),
  }),
  closed({action: v.literal('jump'), phase}),
  closed({action: v.literal('speed'), speed}),
  closed({action: v.picklist(['pause', 'disconnect'])}),
]);
