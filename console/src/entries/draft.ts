/** A value that the user is editing and has not saved. */
export interface Draft {
  readonly text: string;
  /** The state of the entry that the user began with: its ETag, or that there was no entry. */
  readonly base: string | 'absent';
  /** The value that the user began with. */
  readonly baseText: string;
}
