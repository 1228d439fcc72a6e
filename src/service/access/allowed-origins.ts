import type {AllowedOriginList, AllowedOrigins, RefusedOrigin} from '../../core/domain/access/allowed-origins.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {findOriginProblem} from '../../core/failures/web-origin.ts';

/** Maximum number of refused origins that are shown: any page can have any number of origins, and a person chooses from the list. */
export const REFUSED_ORIGINS_MAX = 20;

/** Maximum number of origins that are allowed in one run: a developer needs few at a time. */
export const ALLOWED_IN_RUN_MAX = 100;

/** Longest origin, in UTF-16 units: the longest host name (RFC 1035) with scheme and port. */
const ORIGIN_LENGTH_MAX = 300;

/** Allowed origins, at first those of the settings, and the refused ones that could be allowed. */
export class NotedOrigins implements AllowedOrigins {
  readonly #nowMs: () => number;
  readonly #allowed: Set<string>;
  readonly #allowedMax: number;
  /** The last refused one last. */
  readonly #refused = new Map<string, RefusedOrigin>();

  constructor(configured: readonly string[], nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#allowed = new Set(configured);
    this.#allowedMax = this.#allowed.size + ALLOWED_IN_RUN_MAX;
  }

  has(origin: string): boolean {
    return this.#allowed.has(origin);
  }

  list(): AllowedOriginList {
    return {allowed: [...this.#allowed], refused: [...this.#refused.values()].reverse()};
  }

  allow(origin: string): AllowedOriginList {
    const problem = this.#findProblem(origin);
    if (problem !== undefined)
      throw new AppError({code: 'invalid-body', what: 'origin', problems: [{path: '$.origin', problem}]});
    this.#allowed.add(origin);
    this.#refused.delete(origin);
    return this.list();
  }

  /** Notes that a page was refused because of its origin. Anything that cannot be allowed is not noted. */
  noteRefused(origin: string): void {
    // A page of an allowed origin is refused where only the service itself may call.
    if (this.#findProblem(origin) !== undefined || this.has(origin)) return;
    const count = (this.#refused.get(origin)?.count ?? 0) + 1;
    this.#refused.delete(origin);
    this.#refused.set(origin, {origin, count, refusedAtMs: this.#nowMs()});
    const [oldest = ''] = this.#refused.keys();
    if (this.#refused.size > REFUSED_ORIGINS_MAX) this.#refused.delete(oldest);
  }

  #findProblem(origin: string): string | undefined {
    if (origin.length > ORIGIN_LENGTH_MAX) return `is longer than ${ORIGIN_LENGTH_MAX} characters`;
    if (!this.has(origin) && this.#allowed.size >= this.#allowedMax)
      return `would be more than ${ALLOWED_IN_RUN_MAX} in one run`;
    return findOriginProblem(origin);
  }
}
