import type {StartIdentity} from './identity.js';

/**
 * The module of a background: all that a plugin runs outside of its page. Every member is optional, and every function may be
 * asynchronous.
 *
 * @typeParam Settings - Settings of the user. `crewroom plugin types` writes this type from the manifest.
 */
export interface Background<Settings = Readonly<Record<string, unknown>>> {
  /**
   * Called when the module is loaded, with the pilot who is signed in. Routes answer as soon as it was called; they do not wait for its
   * promise. The plugin is started again when the pilot or the session changes.
   */
  readonly onStart?: (identity: StartIdentity) => void | Promise<void>;
  /** Called before the process ends, which waits up to 5 seconds for its promise. */
  readonly onEnd?: () => void | Promise<void>;
  /** Called after each change of the settings of the user, with all of them and their defaults. */
  readonly onSettingsUpdate?: (settings: Settings) => void | Promise<void>;
  /** Routes by method and name: `GET` and `POST` of `/api/{id of the plugin}/{name}`. */
  readonly routes?: {
    readonly get?: Readonly<Record<string, Route>>;
    readonly post?: Readonly<Record<string, Route>>;
  };
}

/** A route of a background. */
export interface Route {
  /** Description for people. */
  readonly description?: string;
  /** Answers a request, at once or later; after 30 seconds the service answers in its place. What it returns is ignored. */
  readonly handler: (request: RouteRequest, response: RouteResponse) => unknown;
}

/** A request to a route. */
export interface RouteRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly url: string;
  /** The name of the route, as `handlerName`. */
  readonly params: Readonly<Record<string, string>>;
  /** The last value of each parameter of the query. */
  readonly query: Readonly<Record<string, string>>;
  /** Headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed by its content type; `{}` without a body. Check it: any page or program can send anything. */
  readonly body: unknown;
}

/** The answer of a route. The first answer counts. */
export interface RouteResponse {
  /** Sets the status, from 200 to 599. @default 200 */
  status(code: number): this;
  json(value: unknown): this;
  /** Sends a text, bytes, or anything else as JSON. */
  send(body?: unknown): this;
  /** Sends a file with a type by its extension; clients may ask for ranges of it. */
  sendFile(absolutePath: string): this;
}

/**
 * Returns the background as it is, and checks its types.
 *
 * @example
 * module.exports = defineBackground({
 *   onStart: identity => log(`Hello ${identity.va_user.firstName}`),
 *   routes: {get: {hello: {handler: (request, response) => response.json({hello: request.query.name})}}},
 * });
 */
export function defineBackground<Settings = Readonly<Record<string, unknown>>>(
  background: Background<Settings>,
): Background<Settings> {
  return background;
}
