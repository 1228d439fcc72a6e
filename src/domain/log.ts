/** Where the service tells what happens. No level between `error` and `info`: someone must look, or need not. */
export interface Log {
  /** Someone must look. */
  error(message: string, about?: LogFields): void;
  /** The state changed, or a caller was refused. */
  info(message: string, about?: LogFields): void;
  /** Everything else. */
  debug(message: string, about?: LogFields): void;
}

/** What a line is about. Never secrets, values or queries; an `error` is written with its stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Says nothing. */
export const SILENT_LOG: Log = {error: () => {}, info: () => {}, debug: () => {}};
