/** A value that the user is editing and has not saved. */
export interface Draft {
  /** The value as the user sees it. */
  readonly text: string;
  /** The state of the entry that the user began with: its ETag, or that there was no entry. */
  readonly base: string | 'absent';
  /** The value that the user began with. */
  readonly baseText: string;
  /** True if the value was on one line, which is laid out here for reading: it is stored on one line again. */
  readonly isLaidOut: boolean;
}
