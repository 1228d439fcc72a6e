/** The user name and the password of a pilot. */
export interface Credentials {
  /** The number of the pilot, or an e-mail address if it contains `@`. */
  readonly username: string;
  readonly password: string;
}
