/** A request that was answered. It has no body; values of its query that may be secrets are masked, and of its headers only a few are shown. */
export interface RecordedRequest {
  /** Number of the request since the service started, from 1 on, in the order of the answers. */
  readonly sequence: number;
  /** Time at which it arrived, in milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
  readonly method: string;
  /** Path as it was sent, percent-encoded, with the names of the parameters, and `…` for the values of those that may be secrets. */
  readonly path: string;
  readonly status: number;
  /** Time from the head of the request to the answer, for a stream or a WebSocket to its beginning, in milliseconds. */
  readonly durationMs: number;
  /** Size of the body of the answer; absent for a stream whose size is not known in advance. */
  readonly sizeBytes?: number;
  /** Origin of the web page that sent it, by `Origin` or `Referer`; absent for local programs. */
  readonly origin?: string;
  /** Id of the plugin whose background or page sent it, as its headers name it; absent if none did. */
  readonly plugin?: string;
  /** True if a page of the service itself, such as the console, sent it, or it loaded a file of a page, and it did not fail unexpectedly. Lists for people leave it out. */
  readonly own: boolean;
  /** Names in lower case, with the values that were sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent if it did not fail. */
  readonly failure?: RecordedFailure;
}

/** The failure with which a request was answered: members of its problem document. */
export interface RecordedFailure {
  readonly code: string;
  /** The message of the failure. */
  readonly detail: string;
  /** One line of advice. */
  readonly advice: string;
  /** Id of the request in the answer and in the log. */
  readonly instance: string;
  /** The case of a code that has several: the member of its failure that names it. */
  readonly what?: string;
  readonly why?: string;
  readonly stage?: string;
}

/** Some requests in their order, and where they end. */
export interface RequestPage {
  readonly requests: readonly RecordedRequest[];
  /** The `after` with which the next page begins after this one. Contains the run of the service. */
  readonly cursor: string;
  /** Number of requests after `after`, and before these, that are no longer kept. */
  readonly missed: number;
}

export interface FollowOptions {
  /** The cursor of an earlier page, or a sequence number: see {@link Requests.read}. */
  readonly after?: string | undefined;
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Time without requests after which an empty page is returned, in milliseconds. @default {never} */
  readonly heartbeatMs?: number | undefined;
}

/** The last requests that a service answered, {@link REQUESTS_KEPT} of them. Requests for these, and for metrics, are left out. */
export interface Requests {
  /**
   * Returns the requests that are kept, the oldest first.
   *
   * @param since The cursor of an earlier page, or a sequence number: only requests after it. A cursor of an earlier run of the service
   * is before all requests.
   * @throws {AppError} `invalid-parameter`.
   */
  read(after?: string): Promise<RequestPage>;
  /**
   * Returns the requests that are kept, and then others as they are answered. A reader that is too slow misses requests, and
   * its next page has their number. The call takes the place of a reader; the end of the iteration, or `signal`, gives it back.
   *
   * @throws {AppError} From the call or the iteration: `invalid-parameter`; `busy` above {@link REQUEST_READERS_MAX}.
   */
  follow(options?: FollowOptions): AsyncIterable<RequestPage>;
}

/** The last requests, to which a program that embeds the service adds others. */
export interface NotedRequests extends Requests {
  /** Lists a request that another server of a developer answered, such as a back end beside the service. */
  note(answered: NotedRequest): void;
}

/** A request that another server answered. */
export interface NotedRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** Alternating names and values, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly status: number;
  readonly durationMs: number;
  readonly sizeBytes: number;
}

/** Number of requests that are kept: some minutes of a plugin that asks often. They take at most 4 MB, and some more for failures. */
export const REQUESTS_KEPT = 1000;

/** Maximum number of readers at once: terminals, consoles and scripts of one developer. */
export const REQUEST_READERS_MAX = 64;

/** The form of a cursor of requests: a sequence number, with or without the run of the service. */
export const REQUEST_CURSOR = /^(?:([0-9a-f]{8})-)?(0|[1-9][0-9]{0,14})$/;
