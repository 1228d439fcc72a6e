import {realpath, stat} from 'node:fs/promises';
import {basename, dirname} from 'node:path';
import type {Identity, IdentityOrigin, IdentitySource} from '../../core/domain/identity/identity.ts';
import {Listeners} from '../../core/domain/listeners.ts';
import type {Log} from '../../core/domain/log.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {followFiles, type Look} from '../../core/files/follow-files.ts';
import {describeFileError, FileError, readTextFile} from '../../core/files/text-file.ts';
import {readIdentityDocument} from './identity-document.ts';
import {completeDocument} from './profile-completion.ts';

export interface ProfileSourceDeps {
  /** A file that contains an identity document. */
  readonly file: string;
  readonly log: Log;
}

/**
 * Largest profile, in bytes. A document with hundreds of plugins has about 500 KB; the limit keeps a wrong file, such as a disk
 * image, out of memory.
 */
export const PROFILE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Interval at which the file is polled while it changes, in milliseconds. A change is read when two polls in a row see the same state, since
 * some editors write in pieces. The folder is watched, not the file: a watch stays with a file that was replaced.
 */
const POLL_INTERVAL_MS = 250;

/**
 * Serves the identity in a file and follows its changes. A valid change is served at once; an invalid one is logged with its
 * problems, and the previous identity stays.
 *
 * @throws {AppError} `invalid-profile` if the file is invalid at the start.
 */
export async function openProfileSource(deps: ProfileSourceDeps): Promise<IdentitySource> {
  return new ProfileSource(deps, await readProfile(deps.file));
}

class ProfileSource implements IdentitySource {
  readonly origin: IdentityOrigin;
  readonly #file: string;
  readonly #log: Log;
  readonly #listeners: Listeners;
  #identity: Identity;
  /** State of the file when it was last read, and at the last poll; {@link MISSING} if it did not exist. */
  #readState: string | undefined;
  #seenState: string | undefined;
  readonly #closed = new AbortController();
  readonly #following: Promise<void>;

  constructor({file, log}: ProfileSourceDeps, identity: Identity) {
    this.origin = {kind: 'profile', file};
    this.#file = file;
    this.#log = log;
    this.#listeners = new Listeners(error => log.error('a listener for identity changes failed', {error}));
    this.#identity = identity;
    this.#reportFilled(identity);
    this.#following = this.#follow(this.#closed.signal);
  }

  current(): Identity {
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

  #reportFilled({filled}: Identity): void {
    if (filled !== undefined) this.#log.info('profile completed from the sample', {file: this.#file, members: filled});
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const look = async (): Promise<Look> => {
      const isChanging = await this.#poll();
      // A link and the file behind it, which may be replaced each on its own.
      const files = [this.#file, await realpath(this.#file).catch(() => this.#file)];
      return {isChanging, folders: files.map(file => ({path: dirname(file), only: basename(file)}))};
    };
    await followFiles({look, pauseMs: POLL_INTERVAL_MS, signal});
  }

  /** @returns True if the file is changing. */
  async #poll(): Promise<boolean> {
    const state = await readState(this.#file);
    const isStable = state === this.#seenState;
    this.#seenState = state;
    if (isStable && state !== this.#readState) await this.#take(state);
    return !isStable;
  }

  async #take(state: string): Promise<void> {
    const wasMissing = this.#readState === MISSING;
    this.#readState = state;
    if (state === MISSING) return this.#log.error('profile removed; its identity stays', {file: this.#file});
    if (wasMissing) this.#log.info('profile exists again', {file: this.#file});
    await this.#reload();
  }

  async #reload(): Promise<void> {
    try {
      const identity = await readProfile(this.#file);
      if (Buffer.compare(identity.json, this.#identity.json) === 0) return;
      this.#identity = identity;
      this.#log.info('identity changed', {file: this.#file, identity: identity.summary});
      this.#reportFilled(identity);
      this.#listeners.call();
    } catch (error) {
      const problems = isFailure(error, 'invalid-profile') ? error.failure.problems : undefined;
      this.#log.error(
        'profile not used; the previous identity stays',
        problems === undefined ? {file: this.#file, error} : {file: this.#file, problems},
      );
    }
  }
}

/** State of a file that does not exist. */
const MISSING = '';

/** Returns a text that changes with each write to the file, and if another file replaces it. */
async function readState(file: string): Promise<string> {
  try {
    const {dev, ino, size, mtimeNs, ctimeNs} = await stat(file, {bigint: true});
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return MISSING;
  }
}

/**
 * Reads a profile. Members that it lacks come from the sample, and the identity names them. A file that is too large, or not a regular file, is refused without reading it.
 *
 * @throws {AppError} `invalid-profile` with the problems and their paths.
 */
export async function readProfile(file: string): Promise<Identity> {
  const invalid = (problems: readonly DocumentProblem[], options?: ErrorOptions): AppError =>
    new AppError({code: 'invalid-profile', file, problems}, options);
  const bytes = await readTextFile(file, PROFILE_BYTES_MAX).catch(error => {
    if (!(error instanceof FileError)) throw error;
    throw invalid([{path: '$', problem: describeFileError(error, PROFILE_BYTES_MAX)}], {cause: error});
  });
  const reading = readIdentityDocument(bytes, completeDocument);
  if ('problems' in reading) throw invalid(reading.problems);
  return reading.identity;
}
