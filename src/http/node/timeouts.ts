/** How long a server waits for its clients, in milliseconds. */
export interface ServerTimeouts {
  /** For the headers of a request, from the start of the connection or of the request. */
  readonly headersTimeoutMs: number;
  /** For a whole body to arrive once it is read; for the next chunk of a body that is read in chunks. */
  readonly requestTimeoutMs: number;
  /** For any progress on a connection: its next request, or the client reading an answer. */
  readonly idleTimeoutMs: number;
  /** Interval between two searches for late requests. */
  readonly checkIntervalMs: number;
  /** For the rest of a request that is already answered. */
  readonly lingerMs: number;
  /** For requests in flight once the server stops. */
  readonly stopTimeoutMs: number;
  /** Interval between two pings of a WebSocket; the client has to answer before the next one. */
  readonly pingIntervalMs: number;
}
