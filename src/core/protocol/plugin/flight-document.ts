import {FLIGHT_PHASES, type FlightStatus} from '../../domain/plugins/flight.ts';
import {parseDocument} from '../text/read-document.ts';

/** Formats the flight, if there is one, the one that can be restored, and the phases that a flight can jump to. Ids of bookings are texts here. */
export function formatFlight(flight: FlightStatus | undefined, recoverable?: FlightStatus): string {
  return JSON.stringify({flight: describe(flight), recoverable: describe(recoverable), phases: FLIGHT_PHASES});
}

function describe(flight: FlightStatus | undefined): FlightStatus | undefined {
  return flight?.bidId === undefined ? flight : {...flight, bidId: String(flight.bidId)};
}

/** Reads the flight from what {@link formatFlight} writes; undefined if there is none. */
export function readFlight(json: string): FlightStatus | undefined {
  return parseDocument<{readonly flight?: FlightStatus}>(json).flight;
}
