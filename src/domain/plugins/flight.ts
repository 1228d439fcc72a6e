/** Phases of a flight, in their order. */
export const FLIGHT_PHASES = [
  'BOARDING',
  'PUSH_BACK',
  'TAXI',
  'TAKEOFF',
  'CLIMB',
  'CRUISE',
  'DESCENT',
  'APPROACH',
  'TAXI_TO_GATE',
  'ARRIVED',
] as const;

/** Phase of a flight, as the flight tracking of published clients names it. */
export type FlightPhase = (typeof FLIGHT_PHASES)[number];

/** Airport at an end of a flight. */
export interface Airport {
  /** Location indicator (ICAO Doc 7910), such as `EDDF`. */
  readonly code: string;
  readonly name: string;
  /** In degrees, north is positive. */
  readonly latitude: number;
  /** In degrees, east is positive. */
  readonly longitude: number;
}

/** Position and movement of a flight at one moment. */
export interface FlightPosition {
  readonly phase: FlightPhase;
  readonly latitude: number;
  readonly longitude: number;
  /** True heading, in degrees. */
  readonly headingDegrees: number;
  /** Altitude above sea level and ground: simulated airports are at sea level. */
  readonly altitudeFeet: number;
  readonly verticalSpeedFeetPerMinute: number;
  readonly groundSpeedKnots: number;
  readonly flownNauticalMiles: number;
  readonly toGoNauticalMiles: number;
}

/** Simulated flight with its state. */
export interface FlightStatus extends FlightPosition {
  readonly from: Airport;
  readonly to: Airport;
  /** Number of the flight, such as `1042`. */
  readonly number: string;
  /** Id of the booking, if a plugin started the flight with one, as it was sent. */
  readonly bidId?: string | number | undefined;
  /** Simulated seconds per second. */
  readonly speed: number;
  /** Seed of the random numbers: the same seed gives the same flight. */
  readonly seed: number;
  readonly isPaused: boolean;
  /** True if the simulator is connected. */
  readonly isConnected: boolean;
  /** Simulated time since the start, in seconds. */
  readonly elapsedSeconds: number;
  readonly cruiseFeet: number;
}

/** Options of a simulated flight. */
export interface FlightOptions {
  /** Code of the airport of departure. @default {'EDDF'} */
  readonly from?: string | undefined;
  /** Code of the airport of arrival. @default {'LPMA'} */
  readonly to?: string | undefined;
  /** Simulated seconds per second, 1 to 1,000. @default {1} */
  readonly speed?: number | undefined;
  /** @default {1} */
  readonly seed?: number | undefined;
  readonly bidId?: string | number | undefined;
}

/** The port of the simulated flight. */
export interface Flight {
  /** Returns the flight; undefined if none was started. */
  status(): FlightStatus | undefined;

  /** Starts a flight at boarding, in place of the present one. @throws {AppError} `invalid-flight`. */
  start(options?: FlightOptions): FlightStatus;

  /** Pauses the flight, or continues a paused one. @throws {AppError} `no-flight`. */
  pause(): FlightStatus;

  /** Goes to the beginning of a phase. @throws {AppError} `no-flight`. */
  jump(phase: FlightPhase): FlightStatus;

  /** Disconnects the simulator, or reconnects a disconnected one. @throws {AppError} `no-flight`. */
  disconnect(): FlightStatus;

  /** Ends the flight. Idempotent. */
  stop(): void;
}
