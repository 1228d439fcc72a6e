import type {Flight, FlightStatus} from '../../src/core/domain/plugins/flight.ts';
import type {FlightFile} from '../../src/service/flight/flight-file.ts';
import {openFlight} from '../../src/service/flight/tracked-flight.ts';

/** A flight whose clock a test moves. */
export interface ClockedFlight {
  readonly flight: Flight;
  /** Moves both clocks, and runs the timers that are due. @returns The flight then. */
  readonly later: (seconds: number) => FlightStatus | undefined;
}

/** Noon of a day, local time: a clock of a flight that begins then has a known hour. */
const NOON_MS = new Date(2027, 0, 31, 12).getTime();

/** Opens a flight on a clock of its own. @param atMs Begin of that clock, after noon. */
export function openFlightOnClock(file?: FlightFile, atMs = 0): ClockedFlight {
  let elapsedMs = atMs + 1000;
  const timers = new Map<() => void, number>();
  const flight = openFlight({
    elapsedMs: () => elapsedMs,
    nowMs: () => NOON_MS + elapsedMs - 1000,
    randomBytes: length => new Uint8Array(length).fill(7),
    timers: {
      after: (delayMs, run) => {
        timers.set(run, elapsedMs + delayMs);
        return () => void timers.delete(run);
      },
    },
    file,
  });
  const later = (seconds: number): FlightStatus | undefined => {
    elapsedMs += seconds * 1000;
    for (const [run, dueMs] of [...timers])
      if (dueMs <= elapsedMs) {
        timers.delete(run);
        run();
      }
    return flight.status();
  };
  return {flight, later};
}
