import * as v from 'valibot';
import {FLIGHT_FIGURES, FLIGHT_PHASES, FLIGHT_SPEED_MAX, FLIGHT_STATES} from '../domain/plugins/flight.ts';
import {UNSEEN} from '../domain/unseen.ts';
import {AppError} from '../failures/app-error.ts';
import {closed, described, maybe, oneOf} from './kinds.ts';
import {checkValue, formatProblems, type Problem} from './problems.ts';

const between = (min: number, max: number) => {
  const message = `has to be a number from ${min} to ${max}`;
  return v.pipe(v.number(), v.minValue(min, message), v.maxValue(max, message));
};

const HIDDEN = new RegExp(`[${UNSEEN}]+`, 'g');

/** A text without characters that are not seen: plugins show it. */
const text = (lengthMax: number) =>
  v.pipe(
    v.string(),
    v.maxLength(lengthMax, `is longer than ${lengthMax} characters`),
    v.transform(given => given.replace(HIDDEN, ' ').trim().toWellFormed()),
  );

const phase = oneOf(...FLIGHT_PHASES);
const speed = between(1, FLIGHT_SPEED_MAX);

/** Members of an airport with its place. */
export const AIRPORT = {
  code: text(10),
  name: text(100),
  latitude: between(-90, 90),
  longitude: between(-180, 180),
  elevationFeet: v.optional(between(-2000, 30_000)),
};

const airport = v.union(
  [
    described(text(10), 'Code of an airport that the simulator knows.'),
    v.pipe(
      closed({...AIRPORT, name: v.optional(text(100))}),
      v.transform(({name, ...place}) => ({...place, name: name ?? place.code})),
    ),
  ],
  'has to be a code, or an object with code, latitude and longitude',
);

/**
 * Body of POST /api/flight. Every plugin reads it, from any caller; the limits are far above real flights: the largest airliner carries 853 passengers and
 * 320,000 litres of fuel, and the longest flight takes 19 hours.
 */
export const FLIGHT_OPTIONS = closed({
  from: v.optional(airport),
  to: v.optional(airport),
  number: v.optional(text(20)),
  code: maybe(text(10), 'Code of the airline; absent for that of the identity.'),
  aircraft: v.optional(closed({code: text(10), name: v.optional(text(100)), registration: v.optional(text(20))})),
  route: v.optional(v.pipe(v.array(text(50)), v.maxLength(500, 'has more than 500 parts'))),
  level: maybe(between(0, 60_000), 'Cruise: a flight level up to 600, or in feet.'),
  fuel: v.optional(between(0, 1_000_000)),
  pax: v.optional(between(0, 1000)),
  bidId: v.optional(v.union([text(100), v.pipe(v.number(), v.safeInteger())])),
  speed: v.optional(speed),
  seed: v.optional(v.pipe(between(0, Number.MAX_SAFE_INTEGER), v.safeInteger('has to be a whole number'))),
  landingRateFeetPerMinute: maybe(between(20, 2000), 'Rate of descent at touchdown; drawn from the seed without it.'),
  phase: v.optional(phase),
  elapsedSeconds: maybe(between(0, 172_800), 'Time at which a restored flight goes on, if it lies within the phase.'),
});

/** Body of PATCH /api/flight. */
export const FLIGHT_CHANGE = closed({
  isPaused: v.optional(v.boolean()),
  isConnected: maybe(v.boolean(), 'False disconnects the simulator.'),
  speed: v.optional(speed),
  phase: maybe(phase, 'Goes to the beginning of this phase.'),
});

type FigureSchemas = Record<keyof typeof FLIGHT_FIGURES, v.OptionalSchema<ReturnType<typeof between>, undefined>>;

/** Figures of a flight, as frames and answers have them. */
export const FIGURES = {
  ...(Object.fromEntries(
    Object.entries(FLIGHT_FIGURES).map(([name, [min, max]]) => [name, v.optional(between(min, max))]),
  ) as FigureSchemas),
  ...v.entriesFromList(FLIGHT_STATES, v.optional(v.boolean())),
  enginesFiring: maybe(v.pipe(v.array(v.boolean()), v.maxLength(4, 'has more than 4 engines')), 'Of each engine.'),
};

/** Body of POST /api/flight/frames. */
export const FLIGHT_FRAME = closed({
  timeSeconds: described(between(0, 1e10), 'Time of the simulator, which stands still in a pause and never goes back.'),
  reporterId: maybe(text(64), 'Absent in the first report, which returns it.'),
  simulator: maybe(text(100), 'Name of the simulator, in the first report.'),
  ...FIGURES,
});

/**
 * Checks what is sent of a flight.
 *
 * @param nameOf Returns the name under which a member was sent.
 * @throws {AppError} `invalid-body` with each problem's path.
 */
export function checkFlight<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  nameOf = (name: PropertyKey): PropertyKey => name,
): T {
  const checked = checkValue(schema, value);
  if ('value' in checked) return checked.value;
  const found = checked.found.map(({keys, problem}) => ({
    keys: keys.map((key, at) => (at === 0 ? nameOf(key) : key)),
    problem,
  }));
  throw invalidFlight((schema as unknown) === FLIGHT_FRAME ? 'frame' : 'flight', found);
}

/** Creates the failure of what was sent of a flight. */
export function invalidFlight(what: 'flight' | 'frame', found: readonly Problem[]): AppError {
  return new AppError({code: 'invalid-body', what, problems: formatProblems(found)});
}
