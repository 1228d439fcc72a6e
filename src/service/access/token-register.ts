import type {AccessToken, AccessTokens, Caller, Permission, RequestedToken} from '../../core/domain/access/access.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {withoutSecrets} from '../../core/domain/redaction.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {PrincipalCaller, readPermission} from './permission.ts';
import {createToken, findEqual, hash, invalidToken, SecretHasher} from './token-hash.ts';

/** A token as it is kept: with the hash of its secret. */
export interface KeptToken extends AccessToken {
  readonly hash: Uint8Array;
}

export interface TokenRegisterDeps extends Pick<CommonDeps, 'nowMs' | 'timers' | 'randomBytes'> {
  /** The tokens that were kept. */
  readonly tokens: readonly KeptToken[];
  /** Keeps all tokens before a change is confirmed. Calls do not overlap. */
  readonly save: (tokens: readonly KeptToken[]) => Promise<void>;
}

/** Maximum number of tokens: the hashes of all are compared for each request with one. */
export const TOKENS_MAX = 64;

/** Maximum number of permissions of a token. */
export const PERMISSIONS_MAX = 64;

/** Longest delay of a timer, in milliseconds: Node runs later ones at once. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** Tokens of programs, and the callers that they prove. */
export class TokenRegister implements AccessTokens {
  readonly #deps: TokenRegisterDeps;
  /** Listeners to the end of each token, of requests that are being answered. */
  readonly #listeners = new Map<KeptToken, Set<() => void>>();
  /** Callers of tokens: one serves all requests with its token. */
  readonly #callers = new WeakMap<KeptToken, Caller>();
  readonly #hasher = new SecretHasher();
  #tokens: readonly KeptToken[];
  /** The last change, which the next one waits for. */
  #changing: Promise<unknown> = Promise.resolve();
  /** Latest time that was read: a token that has expired stays so when the clock is set back. */
  #latestMs = 0;

  constructor(deps: TokenRegisterDeps) {
    this.#deps = deps;
    this.#tokens = deps.tokens;
  }

  /** Returns the caller with a token. @throws {AppError} `invalid-token`. */
  admit(text: string): Caller {
    const hashes = this.#tokens.map(each => each.hash);
    const token = this.#tokens[findEqual(hashes, this.#hasher.hash(text))];
    if (token === undefined) throw invalidToken('this service has no such token, or it was revoked');
    if (this.#leftMs(token) <= 0) throw invalidToken('it has expired');
    return this.#callerOf(token);
  }

  list(): readonly AccessToken[] {
    return this.#tokens.map(({hash: _, ...token}) => token);
  }

  create(requested: RequestedToken): Promise<string> {
    return this.#change(async () => {
      const permissions = this.#check(requested);
      const secret = createToken(this.#deps);
      const {name, expiresAtMs} = requested;
      const expiry = expiresAtMs === undefined ? {} : {expiresAtMs};
      const token = {name, permissions, createdAtMs: this.#deps.nowMs(), ...expiry, hash: hash(secret)};
      await this.#replace([...this.#tokens, token]);
      return secret;
    });
  }

  revoke(name: string): Promise<void> {
    return this.#change(async () => {
      const token = this.#tokens.find(each => each.name === name);
      if (token === undefined) throw new AppError({code: 'no-token', name: name.slice(0, 64)});
      await this.#replace(this.#tokens.filter(each => each !== token));
      this.#notify(token);
    });
  }

  #change<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => {});
    return changed;
  }

  async #replace(tokens: readonly KeptToken[]): Promise<void> {
    await this.#deps.save(tokens);
    this.#tokens = tokens;
  }

  #callerOf(token: KeptToken): Caller {
    const known = this.#callers.get(token);
    if (known !== undefined) return known;
    const {name, permissions: granted} = token;
    // A token permits the same in each mode.
    const parts = {mode: 'open', principal: `token:${name}`, isProved: true, granted} as const;
    const caller = new PrincipalCaller({...parts, onEnd: listener => this.#listen(token, listener)});
    this.#callers.set(token, caller);
    return caller;
  }

  #listen(token: KeptToken, listener: () => void): () => void {
    // Revoked between its admission and the beginning of the answer.
    if (!this.#tokens.includes(token)) {
      listener();
      return () => {};
    }
    const listeners = this.#listeners.get(token) ?? new Set();
    this.#listeners.set(token, listeners.add(listener));
    const cancel = this.#afterExpiry(token, listener);
    return () => {
      cancel();
      listeners.delete(listener);
    };
  }

  #afterExpiry(token: KeptToken, run: () => void): () => void {
    if (token.expiresAtMs === undefined) return () => {};
    let cancel = (): void => {};
    const wait = (): void => {
      const leftMs = this.#leftMs(token);
      if (leftMs <= 0) run();
      else cancel = this.#deps.timers.after(Math.min(leftMs, DELAY_MAX_MS), wait);
    };
    wait();
    return () => cancel();
  }

  #notify(token: KeptToken): void {
    for (const listener of this.#listeners.get(token) ?? []) listener();
    this.#listeners.delete(token);
  }

  /** Returns the time until a token expires, in milliseconds. */
  #leftMs({expiresAtMs = Infinity}: AccessToken): number {
    this.#latestMs = Math.max(this.#latestMs, this.#deps.nowMs());
    return expiresAtMs - this.#latestMs;
  }

  #check(requested: RequestedToken): readonly Permission[] {
    const problems: DocumentProblem[] = [];
    const report = (path: string, problem: string | undefined): void => {
      if (problem !== undefined) problems.push({path, problem});
    };
    report('$.name', this.#findNameProblem(requested.name));
    report(
      '$.expiresAt',
      this.#leftMs({...requested, permissions: [], createdAtMs: 0}) > 0 ? undefined : 'is not in the future',
    );
    if (this.#tokens.length >= TOKENS_MAX)
      report('$', `would be one more than ${TOKENS_MAX} tokens: revoke another one`);
    const {length} = requested.permissions;
    if (length === 0 || length > PERMISSIONS_MAX)
      report('$.permissions', `has to be 1 to ${PERMISSIONS_MAX} permissions`);
    const permissions = requested.permissions.slice(0, PERMISSIONS_MAX).flatMap((text, index) => {
      const reading = readPermission(text);
      if ('permission' in reading) return [reading.permission];
      report(`$.permissions[${index}]`, reading.problem);
      return [];
    });
    if (problems.length > 0) throw new AppError({code: 'invalid-body', what: 'token', problems});
    return [...new Set(permissions)];
  }

  #findNameProblem(name: string): string | undefined {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
      return 'has to be 1 to 64 letters, digits, dots, dashes or underscores, and to begin with a letter or a digit';
    if (withoutSecrets(name) !== name) return 'looks like a token, which is shown nowhere: choose another one';
    if (name.toLowerCase() === 'owner') return 'is that of the owner: choose another one';
    return this.#tokens.some(each => each.name === name)
      ? 'is the name of another token: revoke that one first'
      : undefined;
  }
}
