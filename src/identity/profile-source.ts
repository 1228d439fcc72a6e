import {stat} from 'node:fs/promises';
import {setInterval} from 'node:timers/promises';
import {AppError, type DocumentProblem} from '../domain/failure.ts';
import type {Identity, IdentityOrigin, IdentitySource} from '../domain/identity.ts';
import {Listeners} from '../domain/listeners.ts';
import type {Log} from '../domain/log.ts';
import {describeFileError, FileError, readRegularFile} from '../files.ts';
import {readIdentityDocument} from './identity-document.ts';

/** What a profile source needs. */
export interface ProfileSourceDeps {
  /** The file whose content is an identity document. */
  readonly file: string;
  readonly log: Log;
}

/**
 * Largest profile, in bytes. A document with hundreds of plugins is some 500 KB; this keeps a wrong file,
 * such as a disk image, out of memory.
 */
export const PROFILE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * How often the file is looked at, in milliseconds. A change is read once two looks in a row saw the same: some editors write in
 * pieces. The system's own notices of changes (inotify and its likes) are not used: they stay with a file that was
 * replaced, come from no network file system and through no link, and four looks a second cost nothing that can be measured.
 */
const LOOK_INTERVAL_MS = 250;

/**
 * Serves the identity in a file and follows its changes. A good change is served at once; a bad one is
 * logged with every problem, and the identity before it stays.
 *
 * @throws {AppError} `invalid-profile` when there is nothing good to begin with.
 */
export async function openProfileSource(deps: ProfileSourceDeps): Promise<IdentitySource> {
  const source = new ProfileSource(deps);
  await source.open();
  return source;
}

class ProfileSource implements IdentitySource {
  readonly origin: IdentityOrigin;
  readonly #file: string;
  readonly #log: Log;
  readonly #listeners: Listeners;
  #identity: Identity | undefined;
  /** The state of the file when it was read last, and at the last look; an empty one if it was gone. */
  #readState: string | undefined;
  #seenState: string | undefined;
  readonly #closed = new AbortController();
  #following: Promise<void> | undefined;

  constructor({file, log}: ProfileSourceDeps) {
    this.origin = {kind: 'profile', file};
    this.#file = file;
    this.#log = log;
    this.#listeners = new Listeners(error => log.error('a listener for identity changes failed', {error}));
  }

  async open(): Promise<void> {
    this.#identity = await readProfile(this.#file);
    this.#following = this.#follow(this.#closed.signal);
  }

  current(): Identity | undefined {
    return this.#identity;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#following;
    this.#listeners.clear();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of setInterval(LOOK_INTERVAL_MS, undefined, {signal})) await this.#look();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #look(): Promise<void> {
    const state = await readState(this.#file);
    const isStable = state === this.#seenState;
    this.#seenState = state;
    if (!isStable || state === this.#readState) return;
    const wasGone = this.#readState === GONE;
    this.#readState = state;
    if (state === GONE) return this.#log.error('profile removed; its identity stays', {file: this.#file});
    if (wasGone) this.#log.info('profile is there again', {file: this.#file});
    await this.#reload();
  }

  async #reload(): Promise<void> {
    try {
      const identity = await readProfile(this.#file);
      if (this.#identity !== undefined && Buffer.compare(identity.json, this.#identity.json) === 0) return;
      this.#identity = identity;
      this.#log.info('identity changed', {file: this.#file, identity: identity.summary});
      this.#listeners.call();
    } catch (error) {
      const problems =
        error instanceof AppError && error.failure.code === 'invalid-profile' ? error.failure.problems : undefined;
      this.#log.error(
        'profile not used; the identity before it stays',
        problems === undefined ? {file: this.#file, error} : {file: this.#file, problems},
      );
    }
  }
}

/** The state of a file that is not there. */
const GONE = '';

/** Reads what changes with each write to a file, and with each other file in its place. */
async function readState(file: string): Promise<string> {
  try {
    const {dev, ino, size, mtimeNs, ctimeNs} = await stat(file, {bigint: true});
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return GONE;
  }
}

/**
 * Reads a profile. A file that is too large, or no file at all such as a pipe, is refused without reading it.
 *
 * @throws {AppError} `invalid-profile` with every problem and its path.
 */
export async function readProfile(file: string): Promise<Identity> {
  const invalid = (problems: readonly DocumentProblem[], options?: ErrorOptions): AppError =>
    new AppError({code: 'invalid-profile', file, problems}, options);
  const bytes = await readRegularFile(file, PROFILE_BYTES_MAX).catch(error => {
    if (!(error instanceof FileError)) throw error;
    throw invalid([{path: '$', problem: describeFileError(error, PROFILE_BYTES_MAX)}], {cause: error});
  });
  const reading = await readIdentityDocument(bytes);
  if ('problems' in reading) throw invalid(reading.problems);
  return reading.identity;
}
