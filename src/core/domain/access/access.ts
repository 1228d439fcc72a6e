/** All modes of access: see {@link AccessMode}. */
export const ACCESS_MODES = ['open', 'attributed', 'strict'] as const;

/**
 * How far callers are trusted that no token proves.
 *
 * - `open`: pages of plugins, backgrounds and programs of this user may do everything but what only a token of the owner permits.
 * - `attributed`: plugins may do what their own entries and settings need, and programs without a token no more than every plugin.
 * - `strict`: as `attributed`, but programs without credentials may do nothing, and nor may pages of plugins that only their origin shows: programs can
 *   forge it.
 */
export type AccessMode = (typeof ACCESS_MODES)[number];

/** Permissions that are not about entries. */
export const PERMISSION_NAMES = [
  'identity:read',
  'identity:secrets',
  'session:manage',
  'plugins:manage',
  'flight:report',
  'admin',
] as const;

/**
 * Permission to do something, as owners write it. One about entries ends with the prefix of their keys: `entries:read:com.example.hello/`, or
 * `entries:read:` for all entries. What an operation needs has the same form, with a key or a prefix of keys at its end.
 */
export type Permission = (typeof PERMISSION_NAMES)[number] | `entries:${'read' | 'write'}:${string}`;

/**
 * Permission that an operation needs, or a part of `plugins:manage` that plugins have about themselves: their settings, calls of their own routes,
 * and what they ask of the client. `access:change` is for the owner alone; no permission includes it. `some-entry:use` is to read or write any one entry,
 * `some-entry:read` to read one.
 */
export type Action =
  | Permission
  | `settings:${'read' | 'write'}:${string}`
  | `routes:call:${string}`
  | 'client:use'
  | 'access:change'
  | 'some-entry:use'
  | 'some-entry:read';

/** Name of a caller that is known: the owner, a program with a token, or a page or background of a plugin. */
export type Principal = 'owner' | `token:${string}` | `plugin:${string}`;

/** The caller of one request, and what it may do. */
export interface Caller {
  /** Absent for a program without credentials, and for a page that is not a plugin's. */
  readonly principal?: Principal | undefined;

  /** True if the caller keeps its permissions until the service ends. */
  readonly isLasting: boolean;

  /** Returns whether the caller may do something. */
  may(action: Action): boolean;

  /** @throws {AppError} `permission-required` if the caller may not; `token-required` if it has no credentials. */
  assertMay(action: Action): void;

  /** Calls the listener once when the caller loses its permissions, for answers that take long. @returns A function that removes it. */
  onEnd(listener: () => void): () => void;
}

/** A caller without credentials, which may do everything. */
export const ANY_CALLER: Caller = {isLasting: true, may: () => true, assertMay: () => {}, onEnd: () => () => {}};

/** The owner, who may do everything. */
export const OWNER_CALLER: Caller = {...ANY_CALLER, principal: 'owner'};

/** The parts of a request that show its sender. Programs can forge the origin of a page. */
export interface Credentials {
  /** Values of all `Authorization` headers. */
  readonly authorizations: readonly string[];
  /** Values of all headers with the token of a background. */
  readonly backgroundTokens: readonly string[];
  /** Id of the plugin whose page sent the request, by its own origin. */
  readonly plugin?: string | undefined;
  /** True if that origin contains the secret of the page, which no other program knows. */
  readonly isPageProved?: boolean;
}

/** Tokens that prove to the service which plugin's background calls. They are in memory only. */
export interface BackgroundTokens {
  /** Creates a token for a background that starts. */
  create(plugin: string): string;

  /** Refuses a token from then on: its background has ended. */
  revoke(token: string): void;
}

/** The port of access: decides who calls. */
export interface Access {
  /**
   * Returns the caller of a request.
   *
   * @throws {AppError} `invalid-token` for a token of this service that is wrong, has expired, was revoked, or is sent twice.
   */
  admit(credentials: Credentials): Caller;
}

/** Returns whether a value of `Authorization` has a token of a service: whole, cut off, one of several, or as the password of `Basic`. */
export function hasOwnToken(authorization: string): boolean {
  return OWN_TOKEN.test(authorization) || OWN_TOKEN.test(basicCredentials(authorization));
}

const OWN_TOKEN = /crewroom_/i;

/** Returns user and password of `Basic` (RFC 7617 section 2); empty for other credentials, and for damaged ones. */
function basicCredentials(authorization: string): string {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/]+)=*$/i.exec(authorization) ?? [];
  // Nothing but this length is no base64.
  return encoded.length % 4 === 1 ? '' : atob(encoded);
}

/** A token of a program, without its secret. */
export interface AccessToken {
  /** Unique among the tokens of a service. */
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** In milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** End of its validity, in milliseconds since the Unix epoch; absent for never. */
  readonly expiresAtMs?: number | undefined;
}

/** A token to create, unchecked. */
export interface RequestedToken {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly expiresAtMs?: number | undefined;
}

/** The port of the tokens of programs. */
export interface AccessTokens {
  /** Returns all tokens in the order of their creation, expired ones too. */
  list(): readonly AccessToken[];

  /**
   * Creates a token.
   *
   * @returns The secret, which is kept nowhere.
   * @throws {AppError} `invalid-body` with the path of each problem, such as a name that is taken.
   */
  create(requested: RequestedToken): Promise<string>;

  /**
   * Revokes a token: it is refused from then on, and its open streams end.
   *
   * @throws {AppError} `no-token`.
   */
  revoke(name: string): Promise<void>;
}

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
  readonly refusedAtMs: number;
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

/** Permissions that the owner gave a plugin, beside those that every plugin has for its own data. */
export interface PluginGrants {
  /** Id of the plugin, which need not be installed. */
  readonly plugin: string;
  readonly permissions: readonly Permission[];
}

/** Permissions to give a plugin, unchecked. */
export interface RequestedGrants {
  readonly plugin: string;
  readonly permissions: readonly string[];
}

/** The port of the permissions of plugins. They count in all modes but `open`, in which plugins may do everything. */
export interface AccessGrants {
  /** Returns all plugins with permissions, in the order of their ids. */
  list(): readonly PluginGrants[];

  /**
   * Gives a plugin permissions. Idempotent.
   *
   * @throws {AppError} `invalid-body` with the path of each problem.
   */
  grant(requested: RequestedGrants): Promise<void>;

  /**
   * Takes one permission of a plugin back, or all of them. Open streams of its page and its background end.
   *
   * @throws {AppError} `no-grant` if the plugin does not have it.
   */
  revoke(plugin: string, permission?: string): Promise<void>;
}

/** The permissions of plugins, as requests are judged by them. */
export interface GrantedPermissions {
  /** Returns the permissions that a plugin has now. */
  of(plugin: string): readonly Permission[];

  /**
   * Calls the listener once when a permission of a plugin is taken back; at once if one of those that it had is no longer there.
   *
   * @param had Permissions of the plugin when its request was admitted.
   * @returns A function that removes it.
   */
  onRevoked(plugin: string, had: readonly Permission[], listener: () => void): () => void;
}
