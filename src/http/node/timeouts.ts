/** Timeouts and intervals of a server, in milliseconds. */
export interface ServerTimeouts {
  /** Time for the headers of a request, from the start of the connection or of the request. */
  readonly headersTimeoutMs: number;
  /** Time for a whole body, once it is being read; for the next chunk of a body that is read in chunks. */
  readonly requestTimeoutMs: number;
  /** Time for any progress on a connection: its next request, or the client reading an answer. */
  readonly idleTimeoutMs: number;
  /** Interval between two searches for late requests. */
  readonly checkIntervalMs: number;
  /** Time for the rest of a request that is already answered. */
  readonly lingerMs: number;
  /** Time for requests in flight once the server stops. */
  readonly stopTimeoutMs: number;
  /** Interval between two pings of a WebSocket; the client has to answer before the next one. */
  readonly pingIntervalMs: number;
}
