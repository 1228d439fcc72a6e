import {describe, expect, test} from 'vitest';
import {readTrack} from '../../../test/support/flight-tracks.ts';
import {FLIGHT_PHASES, type FlightFrame} from '../../core/domain/plugins/flight.ts';
import {beginTrack, type FlightTrack, followFlight} from './flight-track.ts';

/** Part of a track: how long it lasts, and its figures, which change linearly from those before. */
type Part = Partial<FlightFrame> & {readonly seconds: number};

/** Frames a second of tracks that are made here. */
const RATE = 4;

/** Returns the frames of parts. */
function fly(...parts: readonly Part[]): readonly FlightFrame[] {
  let [now, before]: [number, Partial<FlightFrame>] = [0, {}];
  const frames: FlightFrame[] = [];
  for (const {seconds, ...figures} of parts) {
    const after = {...before, ...figures};
    const steps = Math.max(1, seconds * RATE);
    for (let step = 1; step <= steps; step++) {
      const moved = Object.entries(after).map(([name, end]) => {
        const start = Object(before)[name] ?? end;
        return [name, typeof end === 'number' ? start + ((end - start) * step) / steps : end];
      });
      frames.push({...Object.fromEntries(moved), timeSeconds: now + (seconds * step) / steps});
    }
    [now, before] = [now + seconds, after];
  }
  return frames;
}

/** Returns the frames of a recorded track. */
function recorded(name: string): readonly FlightFrame[] {
  return readTrack(name).map(({onGround, enginesFiring, timeSeconds = 0, ...figures}) => ({
    ...figures,
    timeSeconds,
    onGround: onGround === 1,
    enginesFiring: [enginesFiring === 1],
  }));
}

const followed = (frames: readonly FlightFrame[], clockRate = 1): readonly FlightTrack[] => {
  const tracks: FlightTrack[] = [];
  for (const frame of frames) {
    const before = tracks.at(-1);
    const since = before === undefined ? 0 : (frame.timeSeconds - before.frame.timeSeconds) / clockRate;
    tracks.push(before === undefined ? beginTrack(frame) : followFlight(before, frame, since));
  }
  return tracks;
};

/** Parts of a flight of a light aircraft from an airport that is 1,200 feet high. */
const AT_GATE = {altitudeFeet: 1200, heightFeet: 0, groundSpeedKnots: 0, verticalSpeedFeetPerMinute: 0, onGround: true};
const PARKED: Part = {...AT_GATE, seconds: 10, enginesFiring: [false], gForce: 1};
const STARTED: Part = {seconds: 5, enginesFiring: [true]};
const MOVING: Part = {seconds: 3, groundSpeedKnots: 12};
const TAXI: Part = {seconds: 20, groundSpeedKnots: 12};
const ROLL: Part = {seconds: 15, groundSpeedKnots: 60};
const CLIMB: Part = {seconds: 1, onGround: false, verticalSpeedFeetPerMinute: 700, groundSpeedKnots: 80};
const UP: Part = {seconds: 240, altitudeFeet: 6000, heightFeet: 4800, verticalSpeedFeetPerMinute: 700};
const LEVEL: Part = {seconds: 60, verticalSpeedFeetPerMinute: 0, groundSpeedKnots: 110};
const DOWN: Part = {seconds: 120, altitudeFeet: 4000, heightFeet: 2800, verticalSpeedFeetPerMinute: -800};
const FINAL: Part = {
  seconds: 180,
  altitudeFeet: 1210,
  heightFeet: 10,
  verticalSpeedFeetPerMinute: -500,
  groundSpeedKnots: 65,
};
const SINKING: Part = {seconds: 2, verticalSpeedFeetPerMinute: -500};
const FLARE: Part = {seconds: 3, heightFeet: 0, altitudeFeet: 1200, verticalSpeedFeetPerMinute: -180};
const CONTACT: Part = {seconds: 1, onGround: true, verticalSpeedFeetPerMinute: 0, gForce: 1.3};
const BRAKE: Part = {seconds: 15, groundSpeedKnots: 12, gForce: 1};
const HOME: Part = {seconds: 10, groundSpeedKnots: 0};
const OFF: Part = {seconds: 10, enginesFiring: [false]};

const DEPARTURE = [PARKED, STARTED, MOVING, TAXI, ROLL, CLIMB, UP, LEVEL];
const ARRIVAL = [DOWN, FINAL, FLARE, CONTACT, BRAKE, HOME, OFF];
const WHOLE = [...FLIGHT_PHASES.filter(phase => phase !== 'PUSH_BACK')];
/** Places along a meridian: a minute of latitude is a nautical mile. */
const along = (latitude: number, part: Part): Part => ({...part, latitude, longitude: 8});

interface Row {
  readonly name: string;
  readonly frames: readonly FlightFrame[];
  readonly phases: readonly string[];
  readonly landing?: {readonly rate: number; readonly first?: number; readonly gForce?: number};
  readonly notices?: readonly string[];
}

const TABLE: readonly Row[] = [
  {name: 'recorded, EDDF to EDDM', frames: recorded('eddf-eddm'), phases: FLIGHT_PHASES, landing: {rate: -274}},
  {
    name: 'recorded, a circuit with a hard landing',
    frames: recorded('egll-circuit'),
    phases: FLIGHT_PHASES,
    landing: {rate: -640},
  },
  {
    name: 'recorded, EBBR to EHAM below sea level',
    frames: recorded('ebbr-eham'),
    phases: FLIGHT_PHASES,
    landing: {rate: -382},
  },
  {
    name: 'a whole flight, from a high airport',
    frames: fly(...DEPARTURE, ...ARRIVAL),
    phases: WHOLE,
    landing: {rate: -180, gForce: 1.3},
  },
  {
    name: 'a push back',
    frames: fly(PARKED, {seconds: 20, groundSpeedKnots: 3}, {seconds: 30, groundSpeedKnots: 0}, TAXI),
    phases: ['BOARDING', 'PUSH_BACK', 'TAXI'],
  },
  {
    name: 'gear that sinks in at the start is no landing',
    frames: fly(
      {...PARKED, seconds: 1, onGround: false, heightFeet: 3, verticalSpeedFeetPerMinute: -400},
      {seconds: 1, onGround: true, verticalSpeedFeetPerMinute: 0, heightFeet: 0},
      {seconds: 1, onGround: false},
      {seconds: 10, onGround: true},
    ),
    phases: ['BOARDING'],
  },
  {
    name: 'a take-off that is broken off',
    frames: fly(PARKED, STARTED, MOVING, TAXI, ROLL, BRAKE),
    phases: ['BOARDING', 'TAXI', 'TAKEOFF', 'TAXI'],
  },
  {
    name: 'one that joins in the cruise',
    frames: fly({...AT_GATE, ...CLIMB, ...UP, ...LEVEL, seconds: 5}),
    phases: ['CRUISE'],
  },
  {name: 'one that joins in the climb', frames: fly({...AT_GATE, ...CLIMB, ...UP, seconds: 1}), phases: ['CLIMB']},
  {
    name: 'one that joins on the approach lands',
    frames: fly({...AT_GATE, ...CLIMB, ...FINAL, heightFeet: 300, seconds: 1}, FLARE, CONTACT, BRAKE),
    phases: ['APPROACH', 'TAXI_TO_GATE'],
    landing: {rate: -180, gForce: 1.3},
  },
  {
    name: 'a bounce is one landing, of its hardest contact',
    frames: fly(
      ...DEPARTURE,
      DOWN,
      FINAL,
      FLARE,
      CONTACT,
      {seconds: 2, onGround: false, verticalSpeedFeetPerMinute: -350},
      {...CONTACT, gForce: 1.6},
      BRAKE,
    ),
    phases: WHOLE.slice(0, -1),
    landing: {rate: -350, first: -180, gForce: 1.6},
  },
  {
    name: 'a go-around climbs again, and the landing after it counts',
    frames: fly(
      ...DEPARTURE,
      DOWN,
      FINAL,
      {seconds: 60, verticalSpeedFeetPerMinute: 900, heightFeet: 900},
      SINKING,
      FINAL,
      {...FLARE, verticalSpeedFeetPerMinute: -90},
      CONTACT,
    ),
    phases: [...WHOLE.slice(0, -2), 'CLIMB', 'APPROACH'],
    landing: {rate: -90},
  },
  {
    name: 'a touch-and-go',
    frames: fly(...DEPARTURE, DOWN, FINAL, FLARE, CONTACT, {seconds: 8, groundSpeedKnots: 70}, CLIMB, {
      ...UP,
      seconds: 30,
    }),
    phases: [...WHOLE.slice(0, -2), 'CLIMB'],
    landing: {rate: -180},
  },
  {
    name: 'a bump in the cruise is no climb',
    frames: fly(
      ...DEPARTURE,
      {seconds: 1, verticalSpeedFeetPerMinute: 600},
      {seconds: 4},
      {seconds: 1, verticalSpeedFeetPerMinute: 0},
      LEVEL,
    ),
    phases: WHOLE.slice(0, 5),
  },
  {
    name: 'a pause',
    frames: fly(PARKED, {seconds: 2, isPaused: true}, {seconds: 2, isPaused: false}),
    phases: ['BOARDING'],
    notices: ['pause'],
  },
  {
    name: 'a teleport from the gate into the air is judged at once',
    frames: fly(
      along(50, PARKED),
      along(50, {seconds: 1}),
      along(52, {seconds: 0.25, onGround: false, heightFeet: 9000, altitudeFeet: 9000, groundSpeedKnots: 250}),
    ),
    phases: ['BOARDING', 'CRUISE'],
    notices: ['teleport'],
  },
  {
    name: 'a teleport from the air to the gate is no landing',
    frames: fly(
      along(50, {...AT_GATE, ...CLIMB, ...UP, ...LEVEL, seconds: 10}),
      along(53, {...PARKED, seconds: 0.25}),
      along(53, {seconds: 5}),
    ),
    phases: ['CRUISE', 'BOARDING'],
    notices: ['teleport'],
  },
  {
    name: 'a simulator that says how fast it runs',
    frames: fly(PARKED, {seconds: 1, simulationRate: 4}),
    phases: ['BOARDING'],
    notices: ['acceleration'],
  },
  {
    name: 'one without contacts, heights and engines, by its speed alone',
    frames: fly(
      {seconds: 5, groundSpeedKnots: 0},
      {seconds: 10, groundSpeedKnots: 10},
      {seconds: 10},
      {seconds: 20, groundSpeedKnots: 130},
    ),
    phases: ['BOARDING', 'PUSH_BACK', 'TAXI'],
  },
];

describe('phases and landings of a track', () => {
  for (const {name, frames, phases, landing, notices = []} of TABLE)
    test(name, () => {
      const tracks = followed(frames);
      expect(tracks.map(({phase}) => phase).filter((phase, at, all) => phase !== all[at - 1])).toEqual(phases);
      const {touchdown, notices: noticed} = tracks.at(-1) ?? {};
      const expected = landing && {
        verticalSpeedFeetPerMinute: expect.closeTo(landing.rate, -1),
        initialVerticalSpeedFeetPerMinute: expect.closeTo(landing.first ?? landing.rate, -1),
        gForce: landing.gForce ?? expect.any(Number),
      };
      expect(touchdown).toEqual(expected);
      expect(noticed).toEqual(notices);
    });

  test('a clock that runs faster than ours is noticed after some seconds', () => {
    const frames = fly(PARKED, {seconds: 30});
    expect(followed(frames, 4).at(-1)?.notices).toEqual(['acceleration']);
    expect(followed(frames, 1.2).at(-1)?.notices).toEqual([]);
  });

  test('a clock that stands still is a pause', () => {
    const [first] = fly(PARKED);
    let track = beginTrack({timeSeconds: 1, ...first});
    for (let step = 0; step < 3; step++) track = followFlight(track, track.frame, 1);
    expect([track.isPaused, track.notices]).toEqual([true, ['pause']]);
    track = followFlight(track, {...track.frame, timeSeconds: track.frame.timeSeconds + 1}, 1);
    expect(track.isPaused).toBe(false);
  });

  test('distance is counted from places, without teleports', () => {
    const tracks = followed(
      fly(along(50, {...PARKED, groundSpeedKnots: 600}), along(50.5, {seconds: 180}), along(60, {seconds: 0.25})),
    );
    expect(tracks.at(-1)?.flownNauticalMiles).toBeCloseTo(30, 0);
  });
});
