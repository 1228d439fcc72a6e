import type {FailureCode} from '../../failures/failure.ts';
import type {FaultKind} from '../../failures/fault-mark.ts';

/** A fault that is switched on to test a plugin. It changes what callers see, never what is kept. */
export type Fault =
  | RequestFault
  /** Writes fail as on a full disk; deletions and reads work. */
  | {readonly kind: 'disk-full'}
  /** Writes and deletions fail as after the disk failed; reads work. */
  | {readonly kind: 'store-read-only'}
  /** No pilot is signed in. The kept session is not changed, and is served again afterwards. */
  | {readonly kind: 'session-expired'}
  /** The back end of the airline is unreachable: the identity is stale, and no pilot can sign in. */
  | {readonly kind: 'airline-away'}
  /** The clock of a store in memory is this number of seconds ahead. */
  | {readonly kind: 'clock'; readonly offsetSeconds: number};

/** A fault of some of the requests. */
export type RequestFault =
  /** Requests wait this number of milliseconds before they are handled. */
  | ({readonly kind: 'delay'; readonly delayMs: number} & FaultSelection)
  /** Requests fail with this code and are not carried out. */
  | ({readonly kind: 'error'; readonly code: FailureCode} & FaultSelection)
  /** Connections are closed in place of an answer; requests are not carried out. Open event streams end, too. */
  | ({readonly kind: 'cut'} & FaultSelection);

/** The requests that a fault is about; without members all below `/api/` and `/plugins/`. */
export interface FaultSelection {
  /** Path without query; `*` stands for any characters, slashes included. Compared with the path as it is sent, and decoded. */
  readonly path?: string | undefined;
  /** Id of the plugin whose background or page sends the request. */
  readonly plugin?: string | undefined;
  /** Share of these requests, above 0 and up to 1. @default {1} */
  readonly probability?: number | undefined;
  /** The same seed draws the same requests again: a whole number. @default {a random one, if there is a probability} */
  readonly seed?: number | undefined;
}

/** The faults that are on. */
export interface FaultList {
  readonly faults: readonly Fault[];
}

/** The port of faults. Faults end with the service. */
export interface Faults {
  list(): FaultList;

  /**
   * Replaces all faults. Draws begin again with the seeds, and requests that wait for a delay continue.
   *
   * @returns The faults that are on, with the seeds that were chosen for them.
   * @throws {AppError} `invalid-faults`, also for a clock offset without `ephemeral`, which would delete entries for good.
   */
  set(faults: readonly Fault[]): FaultList;

  /**
   * Adds faults to those that are on. One that is on already is not added twice, but moved to the end.
   *
   * @returns The faults that are on.
   * @throws {AppError} `invalid-faults`, as {@link set}.
   */
  add(faults: readonly Fault[]): FaultList;

  /**
   * Ends the faults of a kind.
   *
   * @returns The faults that are still on.
   */
  end(kind: FaultKind): FaultList;
}

/** Maximum number of faults: each request is compared with all of them. */
export const FAULTS_MAX = 32;

/** Longest delay, in milliseconds: longer than any client waits by default, and short enough that a forgotten one ends. */
export const FAULT_DELAY_MS_MAX = 60_000;

/** Largest offset of the clock, in seconds: a year, the longest time to live. */
export const FAULT_OFFSET_SECONDS_MAX = 366 * 24 * 60 * 60;

/** Maximum length of a path in a fault, in UTF-16 units: enough for the longest key, percent-encoded. */
export const FAULT_PATH_LENGTH_MAX = 2000;

/** Largest seed. */
export const FAULT_SEED_MAX = 2 ** 32 - 1;
