import type {FlightStatus} from '../../core/domain/plugins/flight.ts';
import type {FlightFacts} from './flight-options.ts';
import {type FlightTrack, milesBetween} from './flight-track.ts';
import {SIMULATOR} from './simulation.ts';

/** Describes a flight by its last frame, rounded. Figures that its source does not have are absent. */
export function describeFlight(
  {frame, phase, elapsedSeconds, flownNauticalMiles, isPaused, frames, touchdown, notices}: FlightTrack,
  facts: FlightFacts & Pick<FlightStatus, 'isConnected'>,
): FlightStatus {
  const {timeSeconds: _time, reporterId: _reporter, simulator = SIMULATOR, ...figures} = frame;
  const toGoNauticalMiles = figures.toGoNauticalMiles ?? (facts.to && milesBetween(figures, facts.to));
  return {
    phase,
    ...round({...figures, toGoNauticalMiles, flownNauticalMiles, elapsedSeconds}),
    ...facts,
    simulator,
    isPaused,
    frames,
    touchdown: touchdown && round(touchdown),
    notices,
  };
}

/** Decimal places of figures; others have none. */
const DIGITS: Readonly<Record<string, number>> = {
  latitude: 6,
  longitude: 6,
  flownNauticalMiles: 1,
  toGoNauticalMiles: 1,
  elapsedSeconds: 1,
  simulationRate: 2,
  flapsRatio: 2,
  gForce: 2,
};

/** Rounds all numbers, without the sign of a zero. A heading of 360 degrees is 0. */
function round<T extends object>(figures: T): T {
  const rounded = Object.entries(figures).map(([name, value]) => {
    if (typeof value !== 'number') return [name, value];
    const factor = 10 ** (DIGITS[name] ?? 0);
    const number = Math.round(value * factor) / factor + 0;
    return [name, name === 'headingDegrees' ? number % 360 : number];
  });
  return Object.fromEntries(rounded);
}
