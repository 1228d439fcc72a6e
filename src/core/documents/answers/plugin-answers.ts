import * as v from 'valibot';
import {FLIGHT_PHASES} from '../../domain/plugins/flight.ts';
import {AIRPORT, FIGURES, FLIGHT_OPTIONS} from '../flight.ts';
import {closed, described, maybe, TIME} from '../kinds.ts';
import {anyText, count, logLevel, pluginState, whole} from './answer-kinds.ts';

/** Plugin in an answer. */
export const PLUGIN = closed({
  id: anyText,
  name: anyText,
  version: anyText,
  type: anyText,
  description: anyText,
  state: pluginState,
  reason: maybe(
    anyText,
    'Why it is broken, waiting, restarting, stopped or not built, or the first line of the error with which it runs.',
  ),
  error: maybe(
    closed({
      during: described(anyText, '`build`, `load`, `onStart`, `page`, or a route, such as `GET greeting`.'),
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
  lines: v.array(closed({loggedAt: TIME, level: logLevel, text: anyText})),
});

/** Settings of one id. */
export const SETTING_VALUES = v.record(v.string(), v.unknown());

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
      required: v.boolean(),
      advanced: v.boolean(),
      order: v.optional(v.number()),
      minLength: v.optional(v.number()),
      options: v.optional(v.array(closed({value: v.union([anyText, v.number()]), label: anyText}))),
      when: v.optional(closed({key: anyText, value: v.unknown()})),
    }),
  ),
});

/** Answer of GET /api/settings. */
export const ALL_SETTINGS = v.record(v.string(), SETTING_VALUES);

/** Answer of GET /api/config. */
export const CLIENT_CONFIG = closed({config: v.unknown()});

const phase = v.picklist(FLIGHT_PHASES);

/** Its plan is as it was sent, but for what is found by it. */
const FLIGHT_STATUS = closed({
  ...FIGURES,
  ...FLIGHT_OPTIONS.entries,
  phase,
  flownNauticalMiles: v.number(),
  from: v.optional(closed(AIRPORT)),
  to: v.optional(closed(AIRPORT)),
  number: maybe(anyText, 'Absent, as the airports, for a flight of a simulator without a plan.'),
  startedBy: maybe(
    anyText,
    'Caller that started it, such as `plugin:com.example.hello`; absent for a program without credentials.',
  ),
  bidId: v.optional(anyText),
  speed: maybe(v.number(), 'Simulated seconds per second; only of a simulated flight, as the seed.'),
  isPaused: v.boolean(),
  isConnected: described(v.boolean(), 'False when the frames of the simulator have ended.'),
  elapsedSeconds: described(v.number(), 'Time of the simulator since the start.'),
  cruiseFeet: v.optional(v.number()),
  simulator: anyText,
  frames: described(count, 'Number of frames.'),
  touchdown: maybe(
    closed({
      verticalSpeedFeetPerMinute: maybe(v.number(), 'Of the hardest contact, negative.'),
      initialVerticalSpeedFeetPerMinute: maybe(v.number(), 'Of the first contact.'),
      gForce: v.optional(v.number()),
    }),
    'The last landing, about: frames are too far apart to grade it.',
  ),
  notices: described(v.array(v.picklist(['pause', 'teleport', 'acceleration'])), 'What was noticed in its frames.'),
});

/** Answer of /api/flight. */
export const FLIGHT = closed({
  flight: maybe(FLIGHT_STATUS, 'Absent if there is no flight.'),
  recoverable: maybe(FLIGHT_STATUS, 'Flight whose frames ended before it arrived, within a day.'),
  phases: described(v.array(phase), 'Phases that a flight can jump to, in their order.'),
});

/** Answer of POST /api/flight/frames. */
export const FLIGHT_REPORT = closed({reporterId: described(anyText, 'Carried by the next frames.'), phase});
