import {AppError} from '../../domain/failure.ts';
import {encodeJsonText} from '../../domain/json-text.ts';
import type {Log} from '../../domain/log.ts';
import {applyMergePatch} from '../../domain/merge-patch.ts';
import type {SessionPlace} from '../../domain/session.ts';
import type {Keychain} from '../keychain/keychain.ts';
import {
  type ExpiredFile,
  type KeptFile,
  readSessionFile,
  removeSessionFile,
  SESSION_FILE,
  writeSessionFile,
} from './session-file.ts';
import type {SessionRecord} from './session-record.ts';

/** What was kept of a session, and how to get it whole. */
export type Kept =
  | ExpiredFile
  | {
      readonly state: 'signed-in';
      readonly scriptURL: string;
      readonly sinceMs: number;
      readonly place: SessionPlace;
      /** There already when it was in the file. */
      readonly record?: SessionRecord | undefined;
      /**
       * Asks the keychain for the session, until `signal` ends that.
       *
       * @returns Undefined when it has none.
       * @throws {AppError} `keychain-unavailable`.
       */
      unlock(signal: AbortSignal): Promise<SessionRecord | undefined>;
    };

/**
 * Keeps a session over a restart: the session itself in the keychain of the system, and what is needed to serve the last
 * known identity in a file; all of it in the file where there is no keychain. Never fails: what cannot be kept is in
 * memory only, and logged.
 */
export interface SessionKeeper {
  /** What was kept last; undefined for nothing. Does not wait for the keychain. */
  load(): Promise<Kept | undefined>;
  /** @returns Where the session is from now on. */
  save(record: SessionRecord): Promise<SessionPlace>;
  /** Keeps that the session is over and why, without the session. */
  saveExpired(expired: Omit<ExpiredFile, 'state'>): Promise<void>;
  /** Forgets everything. */
  forget(): Promise<void>;
}

/** What a keeper needs. */
export interface SessionKeeperDeps {
  /** The data directory: its own session for each. */
  readonly directory: string;
  readonly keychain: Keychain;
  readonly log: Log;
}

/** Keeps sessions in the keychain and in a data directory. */
export function openSessionKeeper(deps: SessionKeeperDeps): SessionKeeper {
  return new FileKeeper(deps);
}

/** Keeps nothing beyond the process. */
export function openMemoryKeeper(): SessionKeeper {
  return {
    load: async () => undefined,
    save: async () => 'memory',
    saveExpired: async () => {},
    forget: async () => {},
  };
}

class FileKeeper implements SessionKeeper {
  readonly #deps: SessionKeeperDeps;
  /** Under this name the keychain has the session of this data directory. */
  readonly #account: string;
  /** What is kept changes one after the other, so that an older session never replaces a newer one. */
  #last: Promise<unknown> = Promise.resolve();
  /** Why the keychain was not used last. */
  #keychainProblem: string | undefined;
  /** Whether the keychain may hold a session of ours. */
  #inKeychain = false;

  constructor(deps: SessionKeeperDeps) {
    this.#deps = deps;
    this.#account = `session ${deps.directory}`;
  }

  async load(): Promise<Kept | undefined> {
    const {directory, log} = this.#deps;
    try {
      const file = await readSessionFile(directory);
      return file && this.#describe(file);
    } catch (error) {
      log.error('kept session not used', {directory, file: SESSION_FILE, problem: (error as Error).message});
      return undefined;
    }
  }

  save(record: SessionRecord): Promise<SessionPlace> {
    return this.#inTurn(() => this.#save(record));
  }

  async saveExpired(expired: Omit<ExpiredFile, 'state'>): Promise<void> {
    await this.#inTurn(async () => {
      await this.#deleteSecret();
      await this.#write({state: 'expired', ...expired});
    });
  }

  async forget(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#deleteSecret();
      await removeSessionFile(this.#deps.directory);
    }).catch(error => this.#complain('session not forgotten: remove it by hand', error));
  }

  #describe(file: KeptFile): Kept {
    if (file.state === 'expired') return file;
    const {scriptURL, sinceMs, session} = file;
    const complete = (secret: string): SessionRecord => withSession(file, secret);
    if (session !== undefined) {
      const record = complete(session);
      return {state: 'signed-in', scriptURL, sinceMs, place: 'file', record, unlock: async () => record};
    }
    this.#inKeychain = true;
    const unlock = async (signal: AbortSignal): Promise<SessionRecord | undefined> => {
      const secret = await this.#deps.keychain.get(this.#account, {signal});
      return secret === undefined ? undefined : complete(secret);
    };
    return {state: 'signed-in', scriptURL, sinceMs, place: 'keychain', unlock};
  }

  async #save(record: SessionRecord): Promise<SessionPlace> {
    const {session, ...others} = record;
    const file = {...others, state: 'signed-in'} as const;
    if (await this.#setSecret(session)) return (await this.#write(file)) ? 'keychain' : 'memory';
    await this.#deleteSecret();
    return (await this.#write({...file, session})) ? 'file' : 'memory';
  }

  async #setSecret(session: string): Promise<boolean> {
    try {
      await this.#deps.keychain.set(this.#account, session);
      this.#inKeychain = true;
      return true;
    } catch (error) {
      const problem = (error as Error).message;
      // Once, not at each sign-in and each new session: most often there is no keychain on the machine.
      if (problem !== this.#keychainProblem) this.#deps.log.info('keychain not used', {problem});
      this.#keychainProblem = problem;
      return false;
    }
  }

  async #deleteSecret(): Promise<void> {
    if (!this.#inKeychain) return;
    try {
      await this.#deps.keychain.delete(this.#account);
      this.#inKeychain = false;
    } catch (error) {
      this.#complain('session not removed from the keychain', error);
    }
  }

  async #write(file: KeptFile): Promise<boolean> {
    try {
      await writeSessionFile(this.#deps.directory, file);
      return true;
    } catch (error) {
      this.#complain('session not kept over a restart', error);
      return false;
    }
  }

  #complain(message: string, error: unknown): void {
    const problem = error instanceof AppError ? error.message : String((error as NodeJS.ErrnoException).code ?? error);
    this.#deps.log.error(message, {directory: this.#deps.directory, problem});
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** The record with its session, also at its place in the pilot. */
function withSession(file: Extract<KeptFile, {state: 'signed-in'}>, session: string): SessionRecord {
  const {state, pilot, ...others} = file;
  return {...others, session, pilot: applyMergePatch(pilot, encodeJsonText(JSON.stringify({session})))};
}
