import {type Signal, signal} from '@preact/signals';
import {type CallFailure, callService} from '../service/call-service.ts';
import type {FlightStatus} from '../service/documents.ts';
import {keepFailure} from '../state/loaded.ts';

/** Answer of `/api/flight`. */
interface FlightDocument {
  /** Absent if no flight runs. */
  readonly flight?: FlightStatus;
  readonly phases: readonly FlightStatus['phase'][];
}

/** A change of the flight, as `/api/flight` takes it. */
export type FlightChange = Partial<Pick<FlightStatus, 'isPaused' | 'isConnected' | 'speed' | 'phase'>>;

/** The flight at one moment. */
export type TrackPoint = Pick<
  FlightStatus,
  'elapsedSeconds' | 'flownNauticalMiles' | 'altitudeFeet' | 'groundSpeedKnots'
>;

/** Time between two looks at the flight, in milliseconds. */
const INTERVAL_MS = 1000;

/** Maximum number of points of the track: an hour. */
const POINTS_MAX = 3600;

/** The simulated flight, and its track since the page has looked at it. */
export class FlightState {
  /** `undefined` before it is loaded; `null` if no flight runs. */
  readonly flight: Signal<FlightStatus | null | undefined> = signal(undefined);
  /** Phases that a flight can jump to, in their order. */
  readonly phases: Signal<FlightDocument['phases']> = signal([]);
  readonly track: Signal<readonly TrackPoint[]> = signal([]);
  readonly failure: Signal<CallFailure | undefined> = signal(undefined);
  /** Ends and number of the flight of {@link track}. */
  #plotted = '';

  /** Looks at the flight until the signal is aborted, once a second while one runs and the page is visible. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.reload();
    while (!signal.aborted) {
      await new Promise(resolve => setTimeout(resolve, INTERVAL_MS));
      if (document.hidden || this.flight.peek() === null || signal.aborted) continue;
      await this.#ask(() => callService<FlightDocument>(PATH, {signal}));
    }
  }

  /** Looks at the flight once: one may have been started or ended. */
  reload(): Promise<void> {
    return this.#ask(() => callService<FlightDocument>(PATH));
  }

  /** Starts a flight, in place of the present one. */
  start(options: {readonly from: string; readonly to: string; readonly speed: number}): Promise<void> {
    return this.#ask(() => callService<FlightDocument>(PATH, {method: 'POST', body: options}));
  }

  /** Changes the flight. */
  change(change: FlightChange): Promise<void> {
    return this.#ask(() => callService<FlightDocument>(PATH, {method: 'PATCH', body: change}));
  }

  /** Ends the flight. */
  stop(): Promise<void> {
    return this.#ask(() => callService<FlightDocument>(PATH, {method: 'DELETE'}));
  }

  async #ask(call: () => Promise<FlightDocument>): Promise<void> {
    await keepFailure(this.failure, async () => this.#show(await call()));
  }

  #show({flight, phases}: FlightDocument): void {
    this.flight.value = flight ?? null;
    this.phases.value = phases;
    if (flight === undefined) return;
    const of = `${flight.from?.code} ${flight.to?.code} ${flight.number}`;
    if (of !== this.#plotted) this.track.value = [];
    this.#plotted = of;
    const {elapsedSeconds, altitudeFeet, groundSpeedKnots, flownNauticalMiles} = flight;
    const point = {elapsedSeconds, altitudeFeet, groundSpeedKnots, flownNauticalMiles};
    // A jump back makes what was after it untrue.
    const before = this.track.value.filter(each => each.elapsedSeconds < elapsedSeconds);
    this.track.value = [...before, point].slice(-POINTS_MAX);
  }
}

const PATH = '/api/flight';
