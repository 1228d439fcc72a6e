import {rm} from 'node:fs/promises';
import type {Owner, OwnerCode} from '../../core/domain/access/owner.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {OwnDocument} from './own-document.ts';
import {type OwnerPlace, ownerFile, ownerFilesOf} from './owner-file.ts';
import {createSecret, createToken, findEqual, hash, SecretHasher} from './token-hash.ts';

export interface OwnerDeps extends Pick<CommonDeps, 'log' | 'elapsedMs' | 'nowMs' | 'randomBytes'> {
  /** Address on which the service listens, or `localhost` for both. */
  readonly host: string;
  readonly place: Omit<OwnerPlace, 'port'>;
}

/** Time in which a code has to be exchanged, in seconds: that of a browser that has to be started first. */
const CODE_SECONDS = 60;

/** Maximum number of codes waiting for pages; the oldest is dropped for another. A user opens one console at a time. */
const CODES_MAX = 8;

/** Maximum number of tokens of pages; the oldest is dropped for another. Each reload of a console leaves one that is not used any more. */
const PAGE_TOKENS_MAX = 64;

/**
 * Time without use after which the token of a page ends, in milliseconds: longer than a day of work, shorter than from one to the next. By the clock of
 * the day, since others do not run while the machine sleeps.
 */
const PAGE_IDLE_MS = 12 * 60 * 60 * 1000;

interface PageToken {
  readonly hash: Uint8Array;
  readonly usedMs: number;
  /** Aborted when the token ends. */
  readonly ending: AbortController;
}

/**
 * The owner, with a new token that is valid until the service ends, and in no file yet. Keeps the hashes of codes and of tokens of pages, and
 * no secret but its own and those that callers sent last.
 */
export class FileOwner implements Owner {
  readonly #deps: OwnerDeps;
  readonly #token: string;
  readonly #tokenHash: Uint8Array;
  readonly #hasher = new SecretHasher();
  #codes: readonly {readonly hash: Uint8Array; readonly expiresMs: number}[] = [];
  #pageTokens: readonly PageToken[] = [];
  #file: OwnDocument<string> | undefined;
  /** True once the file was written, or could not be. */
  #isKept = false;

  constructor(deps: OwnerDeps) {
    this.#deps = deps;
    this.#token = createToken(deps);
    this.#tokenHash = hash(this.#token);
  }

  isOwner(token: string | undefined): boolean {
    if (token === undefined) return false;
    const wanted = this.#hasher.hash(token);
    return findEqual([this.#tokenHash], wanted) !== -1 || this.#usePageToken(wanted);
  }

  /** Returns whether a hash is that of the token of a page, which begins its time without use anew. */
  #usePageToken(wanted: Uint8Array): boolean {
    const nowMs = this.#deps.nowMs();
    const at = this.#findPage(wanted);
    const found = this.#pageTokens[at];
    if (found === undefined) return false;
    const isIdle = nowMs - found.usedMs >= PAGE_IDLE_MS;
    if (isIdle) this.#end([found]);
    else this.#pageTokens = this.#pageTokens.with(at, {...found, usedMs: nowMs});
    return !isIdle;
  }

  #end(ended: readonly PageToken[]): void {
    this.#pageTokens = this.#pageTokens.filter(each => !ended.includes(each));
    for (const {ending} of ended) ending.abort();
  }

  #findPage(wanted: Uint8Array): number {
    return findEqual(
      this.#pageTokens.map(each => each.hash),
      wanted,
    );
  }

  createCode(token: string | undefined): OwnerCode {
    if (!this.isOwner(token)) throw new AppError({code: 'owner-required'});
    const {host} = this.#deps;
    // The name of the console has both addresses. Another user could listen on the free one, and the page there would get the code.
    if (host.toLowerCase() !== 'localhost') {
      const problem = `the service listens on ${host} only, and a browser may call another address of localhost`;
      throw new AppError({code: 'not-offered', what: 'console', problem});
    }
    const code = createSecret(this.#deps);
    const expiresMs = this.#deps.elapsedMs() + CODE_SECONDS * 1000;
    this.#codes = [...this.#codes, {hash: hash(code), expiresMs}].slice(-CODES_MAX);
    return {code, expiresInSeconds: CODE_SECONDS};
  }

  exchangeCode(code: string): string {
    const at = findEqual(
      this.#codes.map(each => each.hash),
      hash(code),
    );
    const found = this.#codes[at];
    this.#codes = this.#codes.filter(each => each !== found);
    if (found === undefined || this.#deps.elapsedMs() >= found.expiresMs) throw new AppError({code: 'invalid-code'});
    const token = createToken(this.#deps);
    const page = {hash: hash(token), ending: new AbortController()};
    this.#pageTokens = [...this.#pageTokens, {...page, usedMs: this.#deps.nowMs()}];
    this.#end(this.#pageTokens.slice(0, -PAGE_TOKENS_MAX));
    return token;
  }

  endPages(token: string | undefined): void {
    if (token === undefined || !this.isOwner(token)) throw new AppError({code: 'owner-required'});
    const page = this.#pageTokens[this.#findPage(this.#hasher.hash(token))];
    // Each would become another token.
    this.#codes = [];
    this.#end(page === undefined ? this.#pageTokens : [page]);
  }

  onPageEnd(token: string, listener: () => void): (() => void) | undefined {
    const signal = this.#pageTokens[this.#findPage(this.#hasher.hash(token))]?.ending.signal;
    signal?.addEventListener('abort', listener);
    return signal && (() => signal.removeEventListener('abort', listener));
  }

  async keep(port?: number): Promise<void> {
    const {place, log, randomBytes} = this.#deps;
    if (this.#isKept || (place.dataDir === undefined && port === undefined)) return;
    this.#isKept = true;
    const paths = ownerFilesOf({...place, port});
    const errors: unknown[] = [];
    for (const file of paths.map(ownerFile)) {
      try {
        await file.replace(this.#token, randomBytes);
        this.#file = file;
        return;
      } catch (error) {
        errors.push(error);
      }
    }
    const [error] = errors;
    log.error('the token of the owner is in no file, so "crewroom console" does not work', {paths, error});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Another service may have replaced it.
    if (this.#file !== undefined && (await this.#file.read()) === this.#token)
      await rm(this.#file.path, {force: true}).catch(() => {});
  }
}
