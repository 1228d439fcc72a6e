import type {BackEndClient} from '../../identity/backend/back-end-client.ts';

export interface WalkDeps {
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
  /** Timeout for one answer, in milliseconds. @default {BACK_END_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
  readonly fetch: typeof fetch;
  /** True to send the password and the session also over plain `http` to another machine. @default {false} */
  readonly allowPlainHttp?: boolean | undefined;
  /** Waits for the given time, in milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** Called before each request, with its method and address. */
  readonly onStep?: (step: string) => void;
}

/** The back end that the checks of a walk call. */
export interface WalkContext extends Pick<WalkDeps, 'nowMs' | 'elapsedMs' | 'pause'> {
  readonly scriptURL: string;
  readonly client: BackEndClient;
}
