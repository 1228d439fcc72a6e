import {Redactor} from '../../../domain/redaction.ts';
import {KEPT_LENGTH_MAX} from './line-splitter.ts';

/** Shortest secret that is masked, in UTF-16 units: a shorter one is part of ordinary words. Back ends send twenty and more. */
export const SECRET_LENGTH_MIN = 8;

/** Maximum number of secrets that are remembered. A session that is resumed every week has that many in some years. */
const SECRETS_MAX = 200;

/** Longest text of a plugin that is shown, in UTF-16 units: a stack with its message. */
export const SHOWN_LENGTH_MAX = 8 * 1024;

/**
 * The sessions and platform tokens that this process has seen in identities, current and former ones. Plugins log them, in the
 * errors of requests that failed.
 */
export class Secrets {
  #known: readonly string[] = [];
  #redactor = new Redactor([]);

  /** Remembers the secrets of an identity document. */
  learn(identity: Uint8Array): void {
    const found = findSecrets(JSON.parse(new TextDecoder().decode(identity)));
    const added = found.filter(secret => !this.#known.includes(secret));
    if (added.length === 0) return;
    this.#known = [...this.#known, ...added].slice(-SECRETS_MAX);
    this.#redactor = new Redactor(this.#known);
  }

  /** Masks the secrets in a line, or in another text of a plugin, and then cuts it. */
  mask(text: string): string {
    // A text of the maximum length may have been cut in the middle of a secret.
    const masked = this.#redactor.hide(text, KEPT_LENGTH_MAX - 1);
    return masked.length > SHOWN_LENGTH_MAX ? `${masked.slice(0, SHOWN_LENGTH_MAX)}…` : masked;
  }
}

function findSecrets(identity: unknown): readonly string[] {
  const {va_user: pilot, ...others}: {readonly va_user?: unknown} = Object(identity);
  const accounts = Object.entries(others).filter(([name]) => name.endsWith('_design_user'));
  return [textAt(pilot, 'session'), ...accounts.map(([, account]) => textAt(account, 'token'))].filter(
    secret => secret.length >= SECRET_LENGTH_MIN,
  );
}

function textAt(value: unknown, name: string): string {
  const member: unknown = Reflect.get(Object(value), name);
  return typeof member === 'string' ? member : '';
}
