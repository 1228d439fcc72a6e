/** A request that a plugin sent to the back end. */
export interface BackEndRequest {
  readonly method: string;
  /** Path after the address of the back end, decoded, such as `data/airports`. */
  readonly path: string;
  /** The last value of each parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body if it is JSON, otherwise its text; undefined without a body. */
  readonly body: unknown;
}

/** Response of the back end. */
export interface BackEndReply {
  /** @default {200} */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A text is sent as it is, anything else as JSON. @default {no body} */
  readonly body?: unknown;
}

/** A request that is refused: answered with its status and a message. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Creates a response that reports a failure. */
export function failure(status: number, message: string): BackEndReply {
  return {status, body: {message}};
}
