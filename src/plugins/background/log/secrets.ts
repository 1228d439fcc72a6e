import {findSecrets} from '../../../core/domain/identity/identity-secrets.ts';
import {Redactor} from '../../../core/domain/redaction.ts';
import {KEPT_LENGTH_MAX} from '../channel/message.ts';

/** Maximum number of secrets of identities that are remembered. A session that is resumed every week has that many in some years. */
const SECRETS_MAX = 200;

/** Longest text of a plugin that is shown, in UTF-16 units: a stack with its message. */
export const LOGGED_LENGTH_MAX = 8 * 1024;

/**
 * The sessions and platform tokens that this process has seen in identities, current and former ones, and tokens of backgrounds.
 * Plugins log them, in the errors of requests that failed.
 */
export class Secrets {
  #learned: readonly string[] = [];
  readonly #tokens = new Set<string>();
  #redactor = new Redactor([]);

  /** Remembers the secrets of an identity document. */
  learn(identity: Uint8Array): void {
    const secrets = findSecrets(JSON.parse(new TextDecoder().decode(identity)));
    const added = secrets.filter(secret => !this.#learned.includes(secret));
    if (added.length === 0) return;
    this.#learned = [...this.#learned, ...added].slice(-SECRETS_MAX);
    this.#prepare();
  }

  /** Masks a background's token until it is forgotten: there is one for each start, and none may displace a session. */
  remember(token: string): void {
    this.#tokens.add(token);
    this.#prepare();
  }

  /** Stops masking the token of a background that has ended. */
  forget(token: string): void {
    this.#tokens.delete(token);
    this.#prepare();
  }

  /** Masks the secrets in a line, or in another text of a plugin, and then cuts it. */
  mask(text: string): string {
    // A text of the maximum length may have been cut in the middle of a secret.
    const masked = this.#redactor.hide(text, KEPT_LENGTH_MAX - 1);
    return masked.length > LOGGED_LENGTH_MAX ? `${masked.slice(0, LOGGED_LENGTH_MAX)}…` : masked;
  }

  #prepare(): void {
    this.#redactor = new Redactor([...this.#learned, ...this.#tokens]);
  }
}
