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
  /** Above sea level. @default {0} */
  readonly elevationFeet?: number | undefined;
}

/** Plan of a pilot, as the page of a plugin sends it. */
export interface FlightPlan {
  /** Code of the airline. @default {that of the identity} */
  readonly code?: string | undefined;
  readonly aircraft?:
    | {
        /** Type designator (ICAO Doc 8643), such as `A320`. */
        readonly code: string;
        readonly name?: string | undefined;
        readonly registration?: string | undefined;
      }
    | undefined;
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

/**
 * Figures of a flight, each with its smallest and its largest value, which are far beyond what flies. North and east are positive, and climbs; `altitudeFeet`
 * is above sea level, `heightFeet` above the ground; headings are true; `gForce` is 1 at rest, `flapsRatio` 0 with flaps retracted; `simulationRate` is in
 * simulated seconds per second; `clockSeconds` is the local time of the day in the simulator.
 */
export const FLIGHT_FIGURES = {
  latitude: [-90, 90],
  longitude: [-180, 180],
  altitudeFeet: [-10_000, 500_000],
  heightFeet: [-10_000, 500_000],
  headingDegrees: [0, 360],
  groundSpeedKnots: [0, 20_000],
  indicatedAirspeedKnots: [-100, 20_000],
  trueAirspeedKnots: [-100, 20_000],
  verticalSpeedFeetPerMinute: [-200_000, 200_000],
  gForce: [-50, 50],
  flapsRatio: [0, 1],
  fuelPounds: [0, 2_000_000],
  simulationRate: [0, 1000],
  clockSeconds: [0, 86_400],
  flownNauticalMiles: [0, 50_000],
  toGoNauticalMiles: [0, 50_000],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

/** States of an aircraft that are true or false. */
export const FLIGHT_STATES = ['onGround', 'gearDown', 'isPaused', 'isSlewing'] as const;

/** Figures of a flight at one moment: {@link FLIGHT_FIGURES}. Those that its source does not have are absent. */
export type FlightFigures = {readonly [F in keyof typeof FLIGHT_FIGURES]?: number | undefined} & {
  readonly [S in (typeof FLIGHT_STATES)[number]]?: boolean | undefined;
} & {
  /** True for each engine that runs; up to four. */
  readonly enginesFiring?: readonly boolean[] | undefined;
};

/** Figures of a flight at one moment, as a simulator reports them. */
export type FlightFrame = FlightFigures & {
  /** Time of the simulator, since any moment. It stands still in a pause, and never goes back. */
  readonly timeSeconds: number;
  /** Name of the simulator. @default {'Simulator'} */
  readonly simulator?: string | undefined;
  /** Id that the first report returned; absent in the first one. */
  readonly reporterId?: string | undefined;
};

/** Flight with its state, rounded as instruments are: degrees of a place to a millionth, nautical miles to a tenth. Without a plan it has no airports. */
export type FlightStatus = FlightFigures &
  FlightPlan &
  Pick<FlightOptions, 'number' | 'startedBy' | 'speed' | 'seed' | 'landingRateFeetPerMinute'> & {
    readonly phase: FlightPhase | (string & {});
    readonly from?: Airport | undefined;
    readonly to?: Airport | undefined;
    readonly isPaused: boolean;
    /** True if the simulator is connected, false when its frames have ended. */
    readonly isConnected: boolean;
    /** Simulated time since the start, to a tenth. */
    readonly elapsedSeconds: number;
    readonly flownNauticalMiles: number;
    /** Cruise altitude: the one that was planned, or the highest at which climb and descent fit into the distance. */
    readonly cruiseFeet?: number | undefined;
    /** Name of the simulator. */
    readonly simulator: string;
    /** Number of its frames. */
    readonly frames: number;
    /** The last landing; absent before. Frames are too far apart to grade it: say "about". */
    readonly touchdown?:
      | {
          /** Speed of the hardest contact, negative. */
          readonly verticalSpeedFeetPerMinute?: number | undefined;
          /** Speed of the first contact: the aircraft may bounce. */
          readonly initialVerticalSpeedFeetPerMinute?: number | undefined;
          /** Largest load factor within two seconds of a contact. */
          readonly gForce?: number | undefined;
        }
      | undefined;
    /** Found in its frames. */
    readonly notices: readonly ('pause' | 'teleport' | 'acceleration')[];
  };

/** Options of a simulated flight. */
export interface FlightOptions extends FlightPlan {
  /** Airport of departure, or its code: without a place, it must be one that the simulator knows. @default {'EDDF'} */
  readonly from?: string | Airport | undefined;
  /** Airport of arrival, or its code. @default {'LPMA'} */
  readonly to?: string | Airport | undefined;
  /** Number of the flight, such as `1042`. @default {four digits} */
  readonly number?: string | undefined;
  /** Simulated seconds per second, 1 to 1,000. @default {1} */
  readonly speed?: number | undefined;
  /** Seed of the random numbers: the same seed gives the same flight. @default {1} */
  readonly seed?: number | undefined;
  /** Phase in which it begins. @default {'BOARDING'} */
  readonly phase?: FlightPhase | undefined;
  /** Simulated time since the start at which a restored flight goes on, if it lies within the phase. */
  readonly elapsedSeconds?: number | undefined;
  /** Rate of descent at touchdown, 20 to 2,000. @default {drawn from the seed} */
  readonly landingRateFeetPerMinute?: number | undefined;
  /** Caller that starts the flight; absent for a program without credentials. */
  readonly startedBy?: string | undefined;
}

/** Members of a flight that change while it runs; those that are absent stay as they are. A phase is gone to at its beginning; `isConnected` is that of the simulator. */
export type FlightChange = Partial<Pick<FlightStatus, 'isPaused' | 'isConnected'>> &
  Pick<FlightOptions, 'speed' | 'phase'>;

/** The port of the flight, which a simulator reports or this service simulates. */
export interface Flight {
  /** Returns the flight; undefined if there is none. */
  status(): FlightStatus | undefined;

  /** Returns a flight whose frames ended before it arrived, also before a restart, for 24 hours. */
  recoverable(): FlightStatus | undefined;

  /**
   * Starts a simulated flight, in place of the present one. While a simulator reports, its flight gets the plan instead.
   *
   * @throws {AppError} `invalid-body`; `flight-reported` for options of a simulation while a simulator reports.
   */
  start(options?: FlightOptions): FlightStatus;

  /** Continues the recoverable flight where it was, if its booking is that of the options; starts one otherwise. @throws As {@link start}. */
  restore(options?: FlightOptions): FlightStatus;

  /**
   * Reports a frame. The reporter ends after 10 seconds without one.
   *
   * @returns The id that the next frames carry, and the phase.
   * @throws {AppError} `invalid-body`; `flight-reported` if another one reports; `no-reporter` if that of the id has ended; `too-many-frames` above 60 a
   * second.
   */
  report(frame: FlightFrame): {readonly reporterId: string; readonly phase: FlightPhase};

  /**
   * Changes a simulated flight atomically.
   *
   * @throws {AppError} `no-flight`; `flight-reported` for that of a simulator; `invalid-body` for a speed outside 1 to 1,000.
   */
  change(change: FlightChange): FlightStatus;

  /** Ends the flight, and forgets the recoverable one. Idempotent. @returns A promise that resolves once its file is removed. */
  stop(): Promise<void>;

  /** Calls the listener after a flight began, and after it or its frames ended. @returns A function that removes it. */
  onChange(listener: () => void): () => void;
}
