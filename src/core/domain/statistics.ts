import type {Durations} from './duration-histogram.ts';

/** Figures of a store since it was opened, for monitoring. */
export interface StoreStatistics {
  /** Number of entries, including those that have expired and are not removed yet; undefined if it cannot be read. */
  readonly entries: number | undefined;
  /** Last revision that the change log has trimmed, 0 for none: the changes after it can be read. */
  readonly trimmedRevision: number;
  /** Commits that wait for others to be written. */
  readonly waitingCommits: number;
  /** Bytes of the values that were written. */
  readonly writtenBytes: number;
  /** Size of its files, in bytes; absent if the store has none, or they cannot be read. */
  readonly sizeBytes?: number | undefined;
  /** Its checkpoints; absent if the store makes none. */
  readonly checkpoints?: CheckpointCounts;
  /** Figures of the write-ahead log; absent if the store has none. */
  readonly wal?: WalStatistics;
}

/** Checkpoints of a store since it was opened. One that fails is tried again. */
export interface CheckpointCounts {
  readonly written: number;
  readonly failed: number;
}

/** Figures of a write-ahead log since it was opened. */
export interface WalStatistics {
  /** Bytes of the records in its files. */
  readonly sizeBytes: number;
  /** Records that are not checkpointed yet. */
  readonly waitingRecords: number;
  /** Bytes of all records that were written. */
  readonly writtenBytes: number;
  /** Time that each record took to be written and synced. */
  readonly syncs: Durations;
}

/** Figures of the event hub since it was created. */
export interface EventStatistics {
  readonly subscribers: number;
  /** Events that subscribers took, each counted once per subscriber. */
  readonly delivered: number;
  /** Momentary events that subscribers missed because they were too slow. */
  readonly dropped: number;
  /** Subscribers that were disconnected because they were too slow. */
  readonly slowSubscribers: number;
}

/** Figures of the session, and of the requests to the back end since the service started. All times are since the Unix epoch. */
export interface SessionStatistics {
  readonly requests: BackEndCounts;
  /** Undefined while the back end confirms the session. */
  readonly staleSinceMs: number | undefined;
  /** In the past if it has expired; undefined if it is not known. */
  readonly endsAtMs: number | undefined;
}

/** Requests to a back end by result: it accepts or refuses the pilot, or fails, also by an answer that is not of its API. */
export type BackEndCounts = Readonly<Record<'accepted' | 'refused' | 'failed', number>>;

/** Figures of the connections of a server. */
export interface ConnectionStatistics {
  readonly open: number;
  /** Bytes of requests, and of answers above 8 KiB, in memory; of smaller ones there is at most one per connection. */
  readonly heldBytes: number;
}
