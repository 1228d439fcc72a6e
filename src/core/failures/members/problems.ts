/** One problem of a document. */
export interface DocumentProblem {
  /** The location as a JSONPath, such as `$.airline.settings.scriptURL`. */
  readonly path: string;
  readonly problem: string;
}

/** Describes a problem of a document with its location, unless it concerns the whole document. */
export function describeProblem({path, problem}: DocumentProblem): string {
  return path === '$' ? `it ${problem}` : `${path} ${problem}`;
}

/** One invalid setting. */
export interface ConfigurationProblem {
  readonly setting: string;
  /** The source of the value, such as `--port` or `CREWROOM_PORT`. */
  readonly source: string;
  readonly problem: string;
}

/** One check of a commit that did not hold. */
export interface Conflict {
  readonly key: string;
  /**
   * The expected revision (`12`, or `12 or 13`; `3f9c2a7b01d4e856-12` for a revision of another store), `absent` or
   * `present`; `0` for an ETag that no entry has.
   */
  readonly expected: string;
  /** The current revision, or `absent`. */
  readonly actual: string;
  /** The ETag of the entry, for `If-Match`; absent if there is no entry. */
  readonly etag?: string | undefined;
}

/** The part of an import that was stored before it failed. Importing is idempotent. */
export interface ImportedPart {
  /** Number of stored entries. */
  readonly imported: number;
  /** Number of stored batches. */
  readonly batches: number;
}
