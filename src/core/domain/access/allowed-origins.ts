/** An origin whose pages were refused. */
export interface RefusedOrigin {
  readonly origin: string;
  /** Number of its refused requests since the service started. */
  readonly count: number;
  /** Time of the last one, in milliseconds since the Unix epoch. */
  readonly refusedAtMs: number;
}

/** Origins of other pages. */
export interface AllowedOriginList {
  /** Origins whose pages may call, those of the settings first. */
  readonly allowed: readonly string[];
  /** Origins whose pages were refused and could be allowed, the last refused one first. */
  readonly refused: readonly RefusedOrigin[];
}

/** The port of the origins whose pages may call besides those of the service. */
export interface AllowedOrigins {
  list(): AllowedOriginList;

  /** Returns whether pages of an origin may call. */
  has(origin: string): boolean;

  /**
   * Allows the pages of an origin to call until the service ends. Idempotent.
   *
   * @throws {AppError} `invalid-body` unless it is one exact origin, as browsers send it, or if too many were allowed.
   */
  allow(origin: string): AllowedOriginList;
}
