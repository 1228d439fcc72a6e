/** The log of the service. There is no level between `error` and `info`: an operator must act, or need not. */
export interface Log {
  /** An operator must act. */
  error(message: string, about?: Readonly<Record<string, unknown>>): void;
  /** The state changed, or a caller was refused. */
  info(message: string, about?: Readonly<Record<string, unknown>>): void;
  /** Details for developers. */
  debug(message: string, about?: Readonly<Record<string, unknown>>): void;
}

/** Fields of a line. Never secrets, values or queries. The stack of an `error` field is written. */
export type LogFields = NonNullable<Parameters<Log['info']>[1]>;

/** A log that discards every line. */
export const SILENT_LOG: Log = {error: () => {}, info: () => {}, debug: () => {}};
