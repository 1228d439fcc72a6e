import type {SessionPlace} from '../../../../core/domain/identity/identity.ts';
import type {Log} from '../../../../core/domain/log.ts';
import {AppError, codeOf, messageOf} from '../../../../core/failures/app-error.ts';
import {encodeJsonText} from '../../../../core/json/json-text.ts';
import {applyMergePatch} from '../../../../core/json/merge-patch.ts';
import type {Keychain} from '../../keychain/keychain.ts';
import {
  type ExpiredFile,
  type KeptFile,
  readSessionFile,
  removeSessionFile,
  SESSION_FILE,
  type SessionRecord,
  writeSessionFile,
} from './session-file.ts';

/** A kept session: expired, in the file, or in the keychain. */
export type Kept =
  | ExpiredFile
  | (SessionRecord & {readonly state: 'signed-in'})
  | (LockedSession & {readonly state: 'locked'});

/** A session whose secret is in the keychain. */
export interface LockedSession {
  readonly scriptURL: string;
  readonly sinceMs: number;
  /**
   * Reads the session from the keychain; `signal` aborts the call.
   *
   * @returns Undefined if the keychain has no session.
   * @throws {AppError} `unavailable`.
   */
  unlock(signal: AbortSignal): Promise<SessionRecord | undefined>;
}

/**
 * Keeps a session across restarts: the session itself in the keychain of the system, the last known identity in a file. If
 * there is no keychain, both are in the file. No call fails: a session that cannot be kept stays in memory, and the cause is
 * logged.
 */
export interface SessionKeeper {
  /** Returns the kept session, if there is one. Does not wait for the keychain. */
  load(): Promise<Kept | undefined>;
  /** Keeps a session, or the end of one, in place of what was kept; undefined removes that. @returns The place of the session. */
  keep(session: SessionRecord | Omit<ExpiredFile, 'state'> | undefined): Promise<SessionPlace>;
}

export interface SessionKeeperDeps {
  /** The data directory; each one has a session of its own. */
  readonly directory: string;
  readonly keychain: Keychain;
  readonly log: Log;
}

/** Returns a keeper for sessions that end with the process. */
export function openMemoryKeeper(): SessionKeeper {
  return {load: async () => undefined, keep: async () => 'memory'};
}

/** A keeper that uses the keychain and a data directory. */
export class FileKeeper implements SessionKeeper {
  readonly #deps: SessionKeeperDeps;
  /** Account of this data directory in the keychain. */
  readonly #account: string;
  /** The last change. Changes are serialised, so an older session never replaces a newer one. */
  #last: Promise<unknown> = Promise.resolve();
  /** Problem of the last call of the keychain. */
  #keychainProblem: string | undefined;
  /** True if the keychain may contain the session. */
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
      log.error('kept session not used', {directory, file: SESSION_FILE, problem: messageOf(error)});
      return undefined;
    }
  }

  keep(session: Parameters<SessionKeeper['keep']>[0]): Promise<SessionPlace> {
    const place = this.#last.then(() => this.#replace(session));
    this.#last = place;
    return place;
  }

  async #replace(session: Parameters<SessionKeeper['keep']>[0]): Promise<SessionPlace> {
    if (session !== undefined && 'session' in session) return this.#save(session);
    await this.#deleteSecret();
    if (session === undefined)
      await this.#try('session not removed: remove it manually', () => removeSessionFile(this.#deps.directory));
    else {
      const {scriptURL, sinceMs, problem} = session;
      await this.#write({state: 'expired', scriptURL, sinceMs, problem});
    }
    return 'memory';
  }

  #describe(file: KeptFile): Kept {
    if (file.state === 'expired') return file;
    const {scriptURL, sinceMs, session} = file;
    if (session !== undefined) return {state: 'signed-in', ...withSession(file, session)};
    this.#inKeychain = true;
    const unlock = async (signal: AbortSignal): Promise<SessionRecord | undefined> => {
      const secret = await this.#deps.keychain.get(this.#account, {signal});
      return secret === undefined ? undefined : withSession(file, secret);
    };
    return {state: 'locked', scriptURL, sinceMs, unlock};
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
      const problem = messageOf(error);
      // Log a problem once, not for each session: many machines have no keychain.
      if (problem !== this.#keychainProblem) this.#deps.log.info('keychain not used', {problem});
      this.#keychainProblem = problem;
      return false;
    }
  }

  async #deleteSecret(): Promise<void> {
    const {keychain} = this.#deps;
    if (!this.#inKeychain) return;
    const complaint = 'session not removed from the keychain';
    this.#inKeychain = !(await this.#try(complaint, () => keychain.delete(this.#account)));
  }

  #write(file: KeptFile): Promise<boolean> {
    return this.#try('session not kept over a restart', () => writeSessionFile(this.#deps.directory, file));
  }

  /** Runs a step. @returns False if it failed, which is logged with the complaint. */
  async #try(complaint: string, run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      const problem = error instanceof AppError ? error.message : String(codeOf(error) ?? error);
      this.#deps.log.error(complaint, {directory: this.#deps.directory, problem});
      return false;
    }
  }
}

/** Returns the record with its session, which the pilot contains too. */
function withSession(file: Extract<KeptFile, {state: 'signed-in'}>, session: string): SessionRecord {
  const {state, pilot, ...others} = file;
  return {...others, session, pilot: applyMergePatch(pilot, encodeJsonText(JSON.stringify({session})))};
}
