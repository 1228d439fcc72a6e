/**
 * The port of the owner: the user who runs the service. A program proves that it is this user's by a token in a file that only this user can
 * read. It exchanges the token for a code, and the console exchanges the code for a token of its own, which the tab of that page keeps.
 * Tokens and codes end with the service. Disposal removes the file.
 */
export interface Owner extends AsyncDisposable {
  /** Returns whether a token is the owner's: that of the file, or one of a page, which ends after 12 hours without such a question. */
  isOwner(token: string | undefined): boolean;

  /**
   * Creates a code for one page.
   *
   * @param token Token of the owner.
   * @throws {AppError} `owner-required`; `not-offered` if the service does not listen on all addresses of `localhost`.
   */
  createCode(token: string | undefined): OwnerCode;

  /**
   * Exchanges a code for a token. A code can be exchanged once.
   *
   * @throws {AppError} `invalid-code` if it is unknown, was exchanged, or is too old.
   */
  exchangeCode(code: string): string;

  /**
   * Ends the token of a page; with the token of the file, those of all pages. Their streams end too, and the codes that wait.
   *
   * @throws {AppError} `owner-required`.
   */
  endPages(token: string | undefined): void;

  /** Calls a listener once when a token of a page ends before the service. @returns A function that removes it; undefined for any other token. */
  onPageEnd(token: string, listener: () => void): (() => void) | undefined;

  /**
   * Writes the token into the file, for programs of this user. Idempotent. Without the file only they lack it, so it never rejects.
   *
   * @param port Undefined before the service listens: then it writes the file if its place does not depend on the port.
   */
  keep(port?: number): Promise<void>;
}

/** A code with which one page gets a token of the owner. */
export interface OwnerCode {
  readonly code: string;
  /** Time in which it has to be exchanged, in seconds. */
  readonly expiresInSeconds: number;
}
