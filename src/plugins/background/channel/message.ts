import type {PluginRequest, PluginRoute} from '../../../core/domain/plugins/plugin.ts';

/** Descriptors of the pipes that a background inherits, beside standard output and standard error. */
export const CHANNEL_FD = 3;
export const WATCHDOG_FD = 4;

/** Longest text in a message, in UTF-16 units. More than is shown, so a secret at the shown part's end is whole. */
export const KEPT_LENGTH_MAX = 64 * 1024;

/** Message of the service to a background. */
export type ServiceMessage =
  | StartMessage
  | CallMessage
  /** The body is an object of all settings. */
  | {readonly kind: 'settings'}
  | {readonly kind: 'end'};

/** Loads the background and starts it. The body is the identity document. */
export interface StartMessage {
  readonly kind: 'start';
  /** Id of the plugin. */
  readonly id: string;
  /** Directory of the plugin. */
  readonly directory: string;
  /** Module of the background. */
  readonly file: string;
  /** Existing directory for its files, and the working directory of its process. */
  readonly storagePath: string;
  /** Port that plugins were written for. */
  readonly originalPort: number;
  /** Port of the service. Calls to the original port go there. */
  readonly servicePort: number;
  /** Proves to the service which plugin calls. */
  readonly token: string;
  /** Names at which the service listens, as in URLs. A process of another user could listen at others of this machine, so they are replaced by the first. */
  readonly serviceHosts: readonly [string, ...string[]];
}

/** Calls a route. The body is that of the request. */
export interface CallMessage extends Omit<PluginRequest, 'body'> {
  readonly kind: 'call';
  readonly call: number;
}

/** Message of a background to the service. */
export type BackgroundMessage =
  /** `warnings` describe what of the module is never used. */
  | {readonly kind: 'started'; readonly routes: readonly RouteDescription[]; readonly warnings: readonly string[]}
  /** The module did not load. */
  | {readonly kind: 'not-loaded'; readonly problem: string; readonly place?: string | undefined}
  /** `onStart` failed; the background runs on. */
  | {readonly kind: 'start-failed'; readonly problem: string; readonly place?: string | undefined}
  | AnswerMessage
  /** `onEnd` returned. */
  | {readonly kind: 'ended'}
  /** Resident memory of the process; on the channel of the watchdog. */
  | {readonly kind: 'memory'; readonly sizeBytes: number};

/** Answer to a call. */
export type AnswerMessage =
  /** The body is that of the answer. */
  | {readonly kind: 'answer'; readonly call: number; readonly status: number; readonly contentType?: string | undefined}
  | {readonly kind: 'file'; readonly call: number; readonly status: number; readonly path: string}
  | {readonly kind: 'no-route'; readonly call: number}
  /** The body of the request does not have the form that its content type promises. */
  | {readonly kind: 'malformed'; readonly call: number; readonly problem: string}
  | {readonly kind: 'failed'; readonly call: number; readonly problem: string; readonly place?: string | undefined};

/** Route that a background has. */
export type RouteDescription = PluginRoute & Pick<PluginRequest, 'method'>;
