import type {BackgroundTokens} from '../domain/access/access.ts';
import {AppError} from '../failures/app-error.ts';
import {createToken, hash, type Randomness} from './token-hash.ts';

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
    if (plugin === undefined)
      throw new AppError({code: 'invalid-token', problem: 'no background of a plugin that runs has this token'});
    return plugin;
  }
}

function keyOf(token: string): string {
  return Buffer.from(hash(token)).toString('base64');
}
