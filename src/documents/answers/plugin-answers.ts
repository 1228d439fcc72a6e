import * as v from 'valibot';
import {FLIGHT_PHASES, FLIGHT_SPEED_MAX} from '../../domain/plugins/flight.ts';
import {closed, described, mapOf, TIME} from '../kinds.ts';
import {anyText, count, maybe, whole} from './answer-kinds.ts';

/** Plugin in an answer. */
export const PLUGIN = closed({
  id: anyText,
  name: anyText,
  version: anyText,
  type: anyText,
  description: anyText,
  state: v.picklist(['page-only', 'waiting', 'not-built', 'starting', 'running', 'restarting', 'stopped', 'broken']),
  reason: maybe(
    anyText,
    'Why it is broken, waiting, restarting, stopped or not built, or the first line of the error with which it runs.',
  ),
  error: maybe(
    closed({
      during: described(anyText, '`build`, `load`, `onStart`, or a route, such as `GET greeting`.'),
      message: anyText,
      place: maybe(anyText, 'First place in its own files, such as `src/background/index.ts:12`.'),
      request: maybe(anyText, 'Request that failed, without its query.'),
    }),
    'Error of its build or its start; in development also that of the last call of a route, until the route answers.',
  ),
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

const AIRCRAFT = closed({code: anyText, name: v.optional(anyText), registration: v.optional(anyText)});

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
  startedBy: maybe(
    anyText,
    'Caller that started it, such as `plugin:com.example.hello`; absent for a program without credentials.',
  ),
  code: maybe(anyText, 'Code of the airline; absent for that of the identity.'),
  aircraft: v.optional(AIRCRAFT),
  route: v.optional(v.array(anyText)),
  level: maybe(v.number(), 'Cruise as it was planned: a flight level up to 600, or in feet.'),
  fuel: v.optional(v.number()),
  pax: v.optional(v.number()),
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

const lengthUpTo = (length: number) => v.pipe(anyText, v.metadata({maxLength: length}));
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
