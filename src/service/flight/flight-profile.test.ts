import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Airport, FLIGHT_PHASES} from '../../core/domain/plugins/flight.ts';
import {AIRPORTS} from './flight-options.ts';
import {figuresAt, legAt, planFlight} from './flight-profile.ts';
import {courseBetween, distanceBetween, placeAt, placeBetween} from './great-circle.ts';
import {startOf} from './simulation.ts';

const EDDF = find('EDDF');
const LPMA = find('LPMA');
const PROFILE = planFlight({from: EDDF, to: LPMA, random: () => 0.5});

/** Returns figures, all of which a simulated flight has. */
function positionAt(profile: typeof PROFILE, seconds: number) {
  const {
    latitude = NaN,
    longitude = NaN,
    altitudeFeet = NaN,
    heightFeet = NaN,
    ...figures
  } = figuresAt(profile, seconds);
  const {toGoNauticalMiles = NaN, headingDegrees = NaN} = figures;
  const place = {latitude, longitude, altitudeFeet, heightFeet, toGoNauticalMiles, headingDegrees};
  return {...figures, ...place, phase: legAt(profile, seconds).phase};
}

describe('a flight from Frankfurt to Madeira', () => {
  test('has every phase once, in order', () => {
    expect([...new Set(PROFILE.legs.map(({phase}) => phase))]).toEqual(FLIGHT_PHASES);
    for (const phase of FLIGHT_PHASES) expect(positionAt(PROFILE, startOf(PROFILE, phase)).phase).toBe(phase);
  });

  test('begins and ends at its airports, on the ground', () => {
    const [first, last] = [positionAt(PROFILE, -1), positionAt(PROFILE, 1e9)];
    expect(first).toMatchObject({
      phase: 'BOARDING',
      altitudeFeet: 364,
      heightFeet: 0,
      flownNauticalMiles: 0,
      groundSpeedKnots: 0,
    });
    expect(first.latitude).toBeCloseTo(EDDF.latitude, 6);
    expect(last).toMatchObject({phase: 'ARRIVED', groundSpeedKnots: 0, verticalSpeedFeetPerMinute: 0});
    expect([last.heightFeet, last.toGoNauticalMiles].map(Math.abs)).toEqual([
      expect.closeTo(0, 6),
      expect.closeTo(0, 6),
    ]);
    expect(last.longitude).toBeCloseTo(LPMA.longitude, 6);
  });

  test('climbs, cruises and descends at plausible rates', () => {
    const at = (phase: (typeof FLIGHT_PHASES)[number]) => positionAt(PROFILE, startOf(PROFILE, phase) + 60);
    expect(at('CLIMB')).toMatchObject({
      verticalSpeedFeetPerMinute: expect.closeTo(2000, 6),
      altitudeFeet: expect.closeTo(2364, 6),
    });
    expect(at('CRUISE')).toMatchObject({verticalSpeedFeetPerMinute: 0, altitudeFeet: 37_000});
    expect(at('DESCENT').verticalSpeedFeetPerMinute).toBeCloseTo(-1800, 6);
    expect(at('APPROACH').heightFeet).toBeCloseTo(2256, 0);
  });
});

const airports = fc.constantFrom(...AIRPORTS.values());

test('every flight moves without jumps, towards its end', () => {
  const flights = fc.tuple(airports, airports, fc.double({min: 0, max: 1, noNaN: true}));
  fc.assert(
    fc.property(flights, ([from, to, random]) => {
      const profile = planFlight({from, to, random: () => random});
      const end = startOf(profile, 'ARRIVED');
      for (let seconds = 0; seconds < end; seconds += end / 100) {
        const [now, next] = [positionAt(profile, seconds), positionAt(profile, seconds + 1)];
        expect(distanceBetween(now, next)).toBeLessThan(0.2);
        expect(Math.abs(now.altitudeFeet - next.altitudeFeet)).toBeLessThan(60);
        expect(next.toGoNauticalMiles).toBeLessThanOrEqual(now.toGoNauticalMiles);
        expect(now.heightFeet).toBeGreaterThanOrEqual(-1e-6);
      }
    }),
    {numRuns: 30},
  );
});

describe('a flight between near airports', () => {
  const near = {code: 'EDFE', name: 'Egelsbach', latitude: 49.96, longitude: 8.645};
  for (const {name, to} of [
    {name: 'a hop of 5 nautical miles', to: near},
    {name: 'a circuit', to: EDDF},
  ])
    test(`${name} flies by a turning point, and has every phase`, () => {
      const profile = planFlight({from: EDDF, to, random: () => 0.5});
      for (const phase of FLIGHT_PHASES) expect(positionAt(profile, startOf(profile, phase)).phase).toBe(phase);
      const end = startOf(profile, 'ARRIVED');
      const [first, last] = [positionAt(profile, 0), positionAt(profile, end)];
      expect([first.latitude, first.longitude]).toEqual([
        expect.closeTo(EDDF.latitude, 6),
        expect.closeTo(EDDF.longitude, 6),
      ]);
      expect([last.latitude, last.longitude]).toEqual([
        expect.closeTo(to.latitude, 6),
        expect.closeTo(to.longitude, 6),
      ]);
      expect([first.toGoNauticalMiles, last.toGoNauticalMiles]).toEqual([25, 0]);
      let farthest = 0;
      for (let seconds = 0; seconds < end; seconds++) {
        const [now, next] = [positionAt(profile, seconds), positionAt(profile, seconds + 1)];
        expect(distanceBetween(now, next)).toBeLessThan(0.2);
        farthest = Math.max(farthest, distanceBetween(EDDF, now));
      }
      expect(farthest).toBeCloseTo(12.5, 0);
    });

  test('heads for the turning point first, and then for the airport', () => {
    const profile = planFlight({from: EDDF, to: EDDF, random: () => 0.5});
    const airborne = positionAt(profile, startOf(profile, 'CLIMB') + 10);
    const final = positionAt(profile, startOf(profile, 'APPROACH') + 100);
    expect((final.headingDegrees - airborne.headingDegrees + 360) % 360).toBeCloseTo(180, 0);
  });
});

describe('the great circle', () => {
  test('has known distances', () => {
    expect(distanceBetween(EDDF, LPMA)).toBeCloseTo(1531, 0);
    expect(distanceBetween(find('EGLL'), find('KJFK'))).toBeCloseTo(2991, -1);
    expect(distanceBetween(EDDF, EDDF)).toBe(0);
  });

  test('has known courses', () => {
    const equator = (longitude: number) => ({latitude: 0, longitude});
    expect(courseBetween(equator(0), equator(10))).toBeCloseTo(90, 6);
    expect(courseBetween(equator(10), equator(0))).toBeCloseTo(270, 6);
    expect(courseBetween({latitude: 10, longitude: 0}, equator(0))).toBeCloseTo(180, 6);
  });

  test('has the place at a distance, which is that far away', () => {
    for (const course of [10, 90, 225]) {
      const place = placeAt({latitude: -40, longitude: 179.9}, course, 60);
      expect(distanceBetween({latitude: -40, longitude: 179.9}, place)).toBeCloseTo(60, 6);
      expect(courseBetween({latitude: -40, longitude: 179.9}, place)).toBeCloseTo(course, 6);
      expect(Math.abs(place.longitude)).toBeLessThanOrEqual(180);
    }
  });

  test('crosses the antimeridian', () => {
    const middle = placeBetween({latitude: 0, longitude: 179}, {latitude: 0, longitude: -179}, 0.5);
    expect(Math.abs(middle.longitude)).toBeCloseTo(180, 6);
  });
});

test('airports have codes of four letters and places on the earth', () => {
  for (const {code, name, latitude, longitude} of AIRPORTS.values()) {
    expect(code).toMatch(/^[A-Z]{4}$/);
    expect(name).not.toBe('');
    expect([Math.abs(latitude) < 90, Math.abs(longitude) < 180], code).toEqual([true, true]);
  }
});

function find(code: string): Airport {
  const airport = AIRPORTS.get(code);
  if (airport === undefined) throw new Error(`no airport ${code}`);
  return airport;
}
