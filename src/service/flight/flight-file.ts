import {join} from 'node:path';
import type {Log} from '../../core/domain/log.ts';
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

/** Number in the name of the file until it is complete: always the same, so that what a killed service left is found. Its directory is this user's alone. */
const LEFTOVER = new Uint8Array(8);

/** Opens the file of the flight in a data directory, which only this user may read: position is private. One that cannot be read counts as missing. */
export async function openFlightFile(directory: string, log: Log): Promise<FlightFile> {
  // A loss of power may take a second of a flight.
  const form = {bytesMax: FILE_BYTES_MAX, parse: parseKept, format: JSON.stringify, isDurable: false};
  const document = ownDocument<KeptFlight>(join(directory, 'flight.json'), form);
  const leftover = `${document.path}.${Buffer.from(LEFTOVER).toString('hex')}`;
  await removeDurably(leftover).catch(error =>
    log.error('positions of a flight could not be removed', {file: leftover, problem: messageOf(error)}),
  );
  return new FlightFile(document, await document.read(), log);
}

function parseKept(bytes: Buffer): KeptFlight {
  const kept = JSON.parse(bytes.toString()) as KeptFlight;
  const isKnown = FLIGHT_PHASES.some(phase => phase === kept.flight.phase) && Array.isArray(kept.flight.notices);
  if (!isKnown || !Number.isFinite(kept.keptAtMs)) throw new Error('it is not a flight of this version');
  return kept;
}

/** Keeps the last flight in a file. Writes follow each other, and only the newest one that waits is written. */
export class FlightFile {
  /** The flight that an earlier run kept. */
  readonly kept: KeptFlight | undefined;
  readonly #document: OwnDocument<KeptFlight>;
  readonly #log: Log;
  #waiting: {readonly kept: KeptFlight | undefined} | undefined;
  #writing: Promise<void> | undefined;

  constructor(document: OwnDocument<KeptFlight>, kept: KeptFlight | undefined, log: Log) {
    this.#document = document;
    this.kept = kept;
    this.#log = log;
  }

  /** Writes a flight; removes the file without one. @returns Its end, also of one that failed, which is logged. */
  keep(kept: KeptFlight | undefined): Promise<void> {
    this.#waiting = {kept};
    this.#writing ??= this.#write();
    return this.#writing;
  }

  /** Waits until everything is written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    for (let next = this.#waiting; next !== undefined; next = this.#waiting) {
      this.#waiting = undefined;
      const {path, replace} = this.#document;
      await (next.kept === undefined ? removeDurably(path) : replace(next.kept, () => LEFTOVER)).catch(error =>
        this.#log.error('the flight could not be kept', {file: path, problem: messageOf(error)}),
      );
    }
    this.#writing = undefined;
  }
}
