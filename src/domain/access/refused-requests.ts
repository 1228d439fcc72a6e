import type {Permission} from './access.ts';

/** Requests of one plugin that lacked a permission. */
export interface RefusedRequest {
  readonly plugin: string;
  readonly method: string;
  /** Path of the last one, without its query. */
  readonly path: string;
  /** The narrowest permission that includes it and that an owner can give. */
  readonly permission: Permission;
  readonly count: number;
  /** Time of the last one, in milliseconds since the Unix epoch. */
  readonly lastAtMs: number;
}

/** One request that a plugin was refused. */
export interface OneRefused extends Pick<RefusedRequest, 'plugin' | 'method' | 'path' | 'permission'> {
  /** Path of its route, such as `/api/store/{key}`. */
  readonly route: string;
}

/** The port of the requests that plugins were refused. */
export interface RefusedRequests {
  /** Returns the last ones, newest first, without those that have been granted since. */
  list(): readonly RefusedRequest[];
}
