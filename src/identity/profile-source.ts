import {readFile, stat} from 'node:fs/promises';
import {AppError, type DocumentProblem} from '../domain/failure.ts';
import type {Identity, IdentityOrigin, IdentitySource} from '../domain/identity.ts';
import {Listeners} from '../domain/listeners.ts';
import type {Log} from '../domain/log.ts';
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

/** How long a file must stay as it is before a change is read, in milliseconds: some editors write in pieces. */
const SETTLED_MS = 50;

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
  /** Changes are read one after the other, so that an older one never replaces a newer. */
  #reading: Promise<void> = Promise.resolve();
  #stopWatching: (() => Promise<void>) | undefined;

  constructor({file, log}: ProfileSourceDeps) {
    this.origin = {kind: 'profile', file};
    this.#file = file;
    this.#log = log;
    this.#listeners = new Listeners(error => log.error('a listener for identity changes failed', {error}));
  }

  async open(): Promise<void> {
    const {watch} = await import('chokidar');
    // Watching comes first: a change between reading and watching would be missed.
    const watcher = watch(this.#file, {
      ignoreInitial: true,
      awaitWriteFinish: {stabilityThreshold: SETTLED_MS, pollInterval: SETTLED_MS / 2},
    });
    this.#stopWatching = () => watcher.close();
    const reload = (): void => {
      this.#reading = this.#reading.then(() => this.#reload());
    };
    watcher.on('add', reload).on('change', reload);
    watcher.on('unlink', () => this.#log.error('profile removed; its identity stays', {file: this.#file}));
    watcher.on('error', error => this.#log.error('profile can no longer be watched', {file: this.#file, error}));
    try {
      await new Promise<void>(resolve => watcher.once('ready', () => resolve()));
      this.#identity = await readProfile(this.#file);
    } catch (error) {
      await watcher.close();
      throw error;
    }
  }

  current(): Identity | undefined {
    return this.#identity;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopWatching?.();
    await this.#reading;
    this.#listeners.clear();
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

/**
 * Reads a profile. A file that is too large, or no file at all such as a pipe, is refused without reading it.
 *
 * @throws {AppError} `invalid-profile` with every problem and its path.
 */
export async function readProfile(file: string): Promise<Identity> {
  const invalid = (problems: readonly DocumentProblem[], options?: ErrorOptions): AppError =>
    new AppError({code: 'invalid-profile', file, problems}, options);
  let bytes: Buffer;
  try {
    const status = await stat(file);
    if (!status.isFile()) throw invalid([{path: '$', problem: 'is not in a file'}]);
    if (status.size > PROFILE_BYTES_MAX)
      throw invalid([{path: '$', problem: `is larger than ${PROFILE_BYTES_MAX} bytes`}]);
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const {code, message} = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`;
    throw invalid([{path: '$', problem}], {cause: error});
  }
  const reading = await readIdentityDocument(bytes);
  if ('problems' in reading) throw invalid(reading.problems);
  return reading.identity;
}
