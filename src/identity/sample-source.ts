import type {Identity, IdentityOrigin, IdentitySource} from '../domain/identity/identity.ts';
import {DEFAULT_PILOT, type PilotChooser, SAMPLE_PILOT_NAMES, type SamplePilotName} from '../domain/identity/pilots.ts';
import {Listeners} from '../domain/listeners.ts';
import type {Log} from '../domain/log.ts';
import {AppError} from '../failures/app-error.ts';
import {readSamplePilot} from './sample-pilots.ts';

/** Serves a sample pilot, so that plugins can be tried before anything is configured. */
export class SampleSource implements IdentitySource, PilotChooser {
  readonly #log: Log;
  readonly #listeners: Listeners;
  #pilot = DEFAULT_PILOT;
  #identity = readSamplePilot(DEFAULT_PILOT);

  constructor(log: Log) {
    this.#log = log;
    this.#listeners = new Listeners(error => log.error('a listener for identity changes failed', {error}));
  }

  get origin(): IdentityOrigin {
    return {kind: 'sample', pilot: this.#pilot};
  }

  current(): Identity | undefined {
    return this.#identity;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  usePilot(name: string): void {
    const pilot = parseName(name);
    if (pilot === this.#pilot) return;
    this.#pilot = pilot;
    this.#identity = readSamplePilot(pilot);
    this.#log.info('sample pilot switched', {pilot, identity: this.#identity?.summary ?? 'none'});
    this.#listeners.call();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }
}

function parseName(name: string): SamplePilotName {
  const known = SAMPLE_PILOT_NAMES.find(each => each === name);
  if (known !== undefined) return known;
  const problem = `is not one of ${SAMPLE_PILOT_NAMES.join(', ')}`;
  throw new AppError({code: 'invalid-pilot-choice', problems: [{path: '$.name', problem}]});
}

/** Serves no identity. */
export function openEmptySource(): IdentitySource {
  return {
    origin: {kind: 'none'},
    current: () => undefined,
    onChange: () => () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
