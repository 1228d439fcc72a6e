import {join} from 'node:path';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {FLIGHT_PHASES, type FlightStatus} from '../../core/domain/plugins/flight.ts';
import {messageOf} from '../../core/failures/app-error.ts';
import {removeDurably} from '../../core/files/directory.ts';
import {type OwnDocument, ownDocument} from '../access/own-document.ts';

/** A flight as it was at its last frame. */
export interface KeptFlight {
  readonly flight: FlightStatus;
  /** In milliseconds since the Unix epoch. */
  readonly keptAtMs: number;
}

/** Largest file, in bytes: the longest route. */
const FILE_BYTES_MAX = 128 * 1024;

/** Opens the file of the flight in a data directory, which only this user may read: position is private. One that cannot be read counts as missing. */
export async function openFlightFile(
  directory: string,
  deps: Pick<CommonDeps, 'log' | 'randomBytes'>,
): Promise<FlightFile> {
  // A loss of power may take a second of a flight.
  const form = {bytesMax: FILE_BYTES_MAX, parse: parseKept, format: JSON.stringify, isDurable: false};
  const document = ownDocument<KeptFlight>(join(directory, 'flight.json'), form);
  return new FlightFile(document, await document.read(), deps);
}

function parseKept(bytes: Buffer): KeptFlight {
  const kept = JSON.parse(bytes.toString()) as KeptFlight;
  const isKnown = FLIGHT_PHASES.some(phase => phase === kept.flight.phase) && Array.isArray(kept.flight.notices);
  if (!isKnown || !Number.isFinite(kept.keptAtMs)) throw new Error('it is not a flight of this version');
  return kept;
}

/** Keeps the last flight in a file. Writes follow each other, and only the newest one that waits is written. */
export class FlightFile implements AsyncDisposable {
  /** The flight that an earlier run kept. */
  readonly kept: KeptFlight | undefined;
  readonly #document: OwnDocument<KeptFlight>;
  readonly #deps: Pick<CommonDeps, 'log' | 'randomBytes'>;
  #waiting: {readonly kept: KeptFlight | undefined} | undefined;
  #writing: Promise<void> | undefined;

  constructor(
    document: OwnDocument<KeptFlight>,
    kept: KeptFlight | undefined,
    deps: Pick<CommonDeps, 'log' | 'randomBytes'>,
  ) {
    this.#document = document;
    this.kept = kept;
    this.#deps = deps;
  }

  /** Writes a flight soon; removes the file without one. */
  keep(kept: KeptFlight | undefined): void {
    this.#waiting = {kept};
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    for (let next = this.#waiting; next !== undefined; next = this.#waiting) {
      this.#waiting = undefined;
      const {kept} = next;
      const {path, replace} = this.#document;
      await (kept === undefined ? removeDurably(path) : replace(kept, this.#deps.randomBytes)).catch(error =>
        this.#deps.log.error('the flight could not be kept', {file: path, problem: messageOf(error)}),
      );
    }
    this.#writing = undefined;
  }

  /** Waits until everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
  }
}
