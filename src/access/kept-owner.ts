import type {Owner, OwnerCode} from '../domain/access/owner.ts';
import type {Log} from '../domain/log.ts';
import {createOwnerAccess, type OwnerAccess, type OwnerAccessDeps} from './owner-access.ts';
import {type OwnerPlace, ownerFilesOf, removeOwnerFile, writeOwnerFile} from './owner-file.ts';

export interface KeptOwnerDeps extends OwnerAccessDeps {
  readonly place: Omit<OwnerPlace, 'port'>;
  readonly log: Log;
}

/** The owner of a service. Disposal removes the file with the token. */
export interface KeptOwner extends Owner, AsyncDisposable {
  /**
   * Writes the token into the file of the owner, for programs of this user. Idempotent. Without the file only they lack it, so it never rejects.
   *
   * @param port Undefined before the service listens: then it writes the file if its place does not depend on the port.
   */
  keep(port?: number): Promise<void>;
}

/** Creates a new token of the owner. It is in no file yet. */
export function openOwner(deps: KeptOwnerDeps): KeptOwner {
  return new FileOwner(deps);
}

class FileOwner implements KeptOwner {
  readonly #deps: KeptOwnerDeps;
  readonly #access: OwnerAccess;
  #path: string | undefined;
  /** True once the file was written, or could not be. */
  #isKept = false;

  constructor(deps: KeptOwnerDeps) {
    this.#deps = deps;
    this.#access = createOwnerAccess(deps);
  }

  isOwner(token: string | undefined): boolean {
    return this.#access.isOwner(token);
  }

  createCode(token: string | undefined): OwnerCode {
    return this.#access.createCode(token);
  }

  exchangeCode(code: string): string {
    return this.#access.exchangeCode(code);
  }

  async keep(port?: number): Promise<void> {
    const {place, log, randomBytes} = this.#deps;
    if (this.#isKept || (place.dataDir === undefined && port === undefined)) return;
    this.#isKept = true;
    const paths = ownerFilesOf({...place, port});
    const errors: unknown[] = [];
    for (const path of paths) {
      try {
        await writeOwnerFile(path, this.#access.token, () => Buffer.from(randomBytes(8)).toString('hex'));
        this.#path = path;
        return;
      } catch (error) {
        errors.push(error);
      }
    }
    const [error] = errors;
    log.error('the token of the owner is in no file, so "crewroom console" does not work', {paths, error});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#path !== undefined) await removeOwnerFile(this.#path, this.#access.token);
  }
}
