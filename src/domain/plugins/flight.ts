/** Id of the plugin of published clients for which the simulated flight stands in. */
export const FLIGHT_TRACKING_ID = 'com.tfdidesign.flight-tracking';

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

/** Aircraft of a flight. */
export interface Aircraft {
  /** Type designator (ICAO Doc 8643), such as `A320`. */
  readonly code: string;
  readonly name?: string | undefined;
  readonly registration?: string | undefined;
}

/** Plan of a pilot, as the page of a plugin sends it. */
export interface FlightPlan {
  /** Code of the airline. @default {that of the identity} */
  readonly code?: string | undefined;
  readonly aircraft?: Aircraft | undefined;
  /** Names of waypoints and airways, in their order. */
  readonly route?: readonly string[] | undefined;
  /** Cruise, in feet; a flight level, in hundreds of feet, up to {@link FLIGHT_LEVEL_MAX}. */
  readonly level?: number | undefined;
  /** In the unit of the airline. */
  readonly fuel?: number | undefined;
  /** Number of passengers. */
  readonly pax?: number | undefined;
  /** Id of the booking, as it was sent. */
  readonly bidId?: string | number | undefined;
}

/** Largest cruise that is a flight level: airliners are certified up to 45,000 feet, supersonic ones flew at 60,000. */
export const FLIGHT_LEVEL_MAX = 600;

/** Maximum speed of a flight, in simulated seconds per second: a long flight then takes a minute. */
export const FLIGHT_SPEED_MAX = 1000;

/** Position and movement of a flight at one moment, rounded as instruments are: degrees of a place to a millionth, nautical miles to a tenth, all others to one. */
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
export interface FlightStatus extends FlightPosition, FlightPlan {
  readonly from: Airport;
  readonly to: Airport;
  /** Number of the flight, such as `1042`. */
  readonly number: string;
  /** Caller that started the flight; absent for a program without credentials. */
  readonly startedBy?: string | undefined;
  /** Simulated seconds per second. */
  readonly speed: number;
  /** Seed of the random numbers: the same seed gives the same flight. */
  readonly seed: number;
  readonly isPaused: boolean;
  /** True if the simulator is connected. */
  readonly isConnected: boolean;
  /** Simulated time since the start, in seconds, to a tenth. */
  readonly elapsedSeconds: number;
  /** Altitude of the cruise: the one that was planned, or the highest at which climb and descent fit into the distance. */
  readonly cruiseFeet: number;
}

/** Options of a simulated flight. */
export interface FlightOptions extends FlightPlan {
  /** Airport of departure, or its code: without a place, it has to be one that the simulator knows. @default {'EDDF'} */
  readonly from?: string | Airport | undefined;
  /** Airport of arrival, or its code. @default {'LPMA'} */
  readonly to?: string | Airport | undefined;
  /** @default {four digits} */
  readonly number?: string | undefined;
  /** Simulated seconds per second, 1 to 1,000. @default {1} */
  readonly speed?: number | undefined;
  /** @default {1} */
  readonly seed?: number | undefined;
  /** Phase in which it begins. @default {'BOARDING'} */
  readonly phase?: FlightPhase | undefined;
  /** Simulated time since the start at which a restored flight goes on, if it lies within the phase. */
  readonly elapsedSeconds?: number | undefined;
  readonly startedBy?: string | undefined;
}

/** The port of the simulated flight. */
export interface Flight {
  /** Returns the flight; undefined if none was started. */
  status(): FlightStatus | undefined;

  /** Starts a flight, in place of the present one. @throws {AppError} `invalid-flight`. */
  start(options?: FlightOptions): FlightStatus;

  /** Pauses the flight, or continues a paused one. @throws {AppError} `no-flight`. */
  pause(): FlightStatus;

  /** Goes to the beginning of a phase. @throws {AppError} `no-flight`. */
  jump(phase: FlightPhase): FlightStatus;

  /** Disconnects the simulator, or reconnects a disconnected one. @throws {AppError} `no-flight`. */
  disconnect(): FlightStatus;

  /** Changes how fast the simulated time runs. @throws {AppError} `no-flight`; `invalid-flight` for a speed that is not 1 to 1,000. */
  changeSpeed(speed: number): FlightStatus;

  /** Ends the flight. Idempotent. */
  stop(): void;

  /** Calls the listener after a flight was started, and after it was ended. @returns A function that removes it. */
  onChange(listener: () => void): () => void;
}
