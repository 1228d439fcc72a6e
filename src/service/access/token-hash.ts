import {createHash, timingSafeEqual} from 'node:crypto';
import type {BackgroundTokens} from '../../core/domain/access/access.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import {AppError} from '../../core/failures/app-error.ts';

/** Random bytes of a token or a code: too many to be guessed, and 43 characters as base64url. */
const SECRET_BYTES = 32;

/** Beginning of every token, by which programs that look for leaked secrets know one. */
const TOKEN_PREFIX = 'crewroom_';

/** Source of randomness. */
type Randomness = Pick<CommonDeps, 'randomBytes'>;

/** Creates a text that cannot be guessed, of 43 characters. */
export function createSecret({randomBytes}: Randomness): string {
  return Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url');
}

/** Creates a token. */
export function createToken(randomness: Randomness): string {
  return `${TOKEN_PREFIX}${createSecret(randomness)}`;
}

/** Returns the SHA-256 hash of a token or a code. They are random, so that a slow hash would add nothing. */
export function hash(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

/** Maximum number of hashes that a {@link SecretHasher} keeps: a few programs call at the same time. */
const RECENT_MAX = 16;

/** Hashes secrets, and keeps the hashes of the last ones: programs send the same token with every request, and its hash takes longer than all else. */
export class SecretHasher {
  /** Hashes by their secrets, the newest last. */
  readonly #recent = new Map<string, Uint8Array>();

  hash(secret: string): Uint8Array {
    const known = this.#recent.get(secret);
    if (known !== undefined) return known;
    const hashed = hash(secret);
    const [oldest = ''] = this.#recent.keys();
    if (this.#recent.size === RECENT_MAX) this.#recent.delete(oldest);
    this.#recent.set(secret, hashed);
    return hashed;
  }
}

/** Returns the position of a hash, or -1. Compares all of them in constant time: the time shows neither a hash nor its position. */
export function findEqual(hashes: readonly Uint8Array[], wanted: Uint8Array): number {
  return hashes.map(each => timingSafeEqual(each, wanted)).indexOf(true);
}

/** Tokens of backgrounds, and the plugins that they prove. */
export class BackgroundRegister implements BackgroundTokens {
  readonly #deps: Randomness;
  /** Ids of plugins by the hashes of their tokens. The time of a look-up by hash shows nothing of a token. */
  readonly #plugins = new Map<string, string>();

  constructor(deps: Randomness) {
    this.#deps = deps;
  }

  create(plugin: string): string {
    const token = createToken(this.#deps);
    this.#plugins.set(keyOf(token), plugin);
    return token;
  }

  revoke(token: string): void {
    this.#plugins.delete(keyOf(token));
  }

  /** Returns the id of the plugin with a token. @throws {AppError} `invalid-token` if it is unknown or its background has ended. */
  admit(token: string): string {
    const plugin = this.#plugins.get(keyOf(token));
    if (plugin === undefined) throw invalidToken('no background of a plugin that runs has this token');
    return plugin;
  }
}

/** Creates the failure for a token, or for the header that it is in. */
export function invalidToken(problem: string): AppError {
  return new AppError({code: 'invalid-token', problem});
}

function keyOf(token: string): string {
  return Buffer.from(hash(token)).toString('base64');
}
