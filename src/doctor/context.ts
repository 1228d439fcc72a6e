/** This machine, as the checks see it. */
export interface DoctorContext {
  /** The user of this process; undefined on Windows. */
  readonly userId: number | undefined;
  /** The version of Node, such as `22.14.0`. */
  readonly nodeVersion: string;
  readonly platform: NodeJS.Platform;
  /** Home directory of the user; empty if there is none. */
  readonly homeDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Sends a request to the service. */
  readonly fetch: (request: Request) => Promise<Response>;
}
