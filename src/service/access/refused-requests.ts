import type {
  AccessMode,
  GrantedPermissions,
  OneRefused,
  RefusedRequest,
  RefusedRequests,
} from '../../core/domain/access/access.ts';
import {includes} from './permission.ts';

/** Maximum number of refusals that are kept: those of equal method, path and permission count as one. */
const KEPT_MAX = 100;

export interface RefusedRequestsDeps {
  readonly mode: AccessMode;
  readonly grants: Pick<GrantedPermissions, 'of'>;
  readonly nowMs: () => number;
}

/** The last requests that plugins were refused, in memory. Nothing of their bodies and queries is kept. */
export class RefusedRequestList implements RefusedRequests {
  /** Oldest first. */
  readonly #kept = new Map<string, RefusedRequest>();
  readonly #deps: RefusedRequestsDeps;

  constructor(deps: RefusedRequestsDeps) {
    this.#deps = deps;
  }

  /** Adds a refusal, if there is one, unless the plugin has the permission: in the mode `open` it has all. */
  add(added: OneRefused | undefined): void {
    if (added === undefined || this.#deps.mode === 'open' || !this.#isLacking(added)) return;
    const {route, ...refusal} = added;
    const {plugin, method, permission} = refusal;
    const key = JSON.stringify([plugin, method, route, permission]);
    const count = (this.#kept.get(key)?.count ?? 0) + 1;
    this.#kept.delete(key);
    this.#kept.set(key, {...refusal, count, refusedAtMs: this.#deps.nowMs()});
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }

  list(): readonly RefusedRequest[] {
    return [...this.#kept.values()].filter(each => this.#isLacking(each)).reverse();
  }

  #isLacking({plugin, permission}: Pick<RefusedRequest, 'plugin' | 'permission'>): boolean {
    return !includes(this.#deps.grants.of(plugin), permission);
  }
}
