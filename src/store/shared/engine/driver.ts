/**
 * The port of a network engine: ordered keys, and one kind of write, which happens only if one key is unchanged.
 *
 * Keys are strings of bytes: each character is one byte. They are ordered by them. Every method ends within a few seconds, and the time that its
 * bytes take on a slow link, and throws an {@link EngineFailure} if the engine does not answer by then.
 */
export interface Driver extends AsyncDisposable {
  /** Reads keys and ranges as they are at one moment. Linearizable: sees every write acknowledged before the call. */
  read(asked: readonly PairRange[], options?: EngineReadOptions): Promise<EngineAnswer>;
  /** Writes everything if the guarded key has the expected version, and nothing otherwise. */
  compareAndWrite(write: GuardedWrite): Promise<WriteAnswer>;
  /** Calls the listener soon after each change of a key, and each interruption. @returns A function that ends it. */
  watch(key: string, listener: KeyListener): () => void;
  /** The reason why the engine refuses puts for lack of space; undefined if it does not, or it is not known. */
  readonly fullBecause: string | undefined;
  /**
   * Returns a time of this machine, in milliseconds since the Unix epoch; if its clock is far ahead of those of the engine, the latest time that
   * may be right. One clock that jumps would expire entries on all machines.
   */
  boundTime(ownMs: number): number;
}

/** Gets a pair after it was written; undefined if it was removed, or writes may have been missed. */
export type KeyListener = (pair: StoredPair | undefined) => void;

/** Selects the state that is read, and the time for it. */
export interface EngineReadOptions {
  /** Number of a write: reads the state after it. @default {the present state} */
  readonly at?: number | undefined;
  /** Size of the answer that is expected, in bytes: the call may take as long as that takes on a slow link. @default {0} */
  readonly bytes?: number | undefined;
}

/** Answer to a {@link Driver.read}. */
export interface EngineAnswer {
  /** The pairs of each range that was asked for, in its order. */
  readonly found: readonly (readonly StoredPair[])[];
  /** Number of the last write of the engine, of any key, in the state read: for {@link EngineReadOptions.at}. */
  readonly at: number;
  /** Id of the engine's data: another one after a backup was restored. */
  readonly cluster: string;
}

/** A value in the engine, with its key. */
export interface StoredPair {
  readonly key: string;
  readonly value: Buffer;
  /** Number of the write that wrote it. Each write of the engine has a higher number than all before. */
  readonly version: number;
}

/** Keys from `from`, to before `to`. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** One key, or, with `to`, the part of a {@link KeyRange} that is read. */
export interface PairRange extends Partial<KeyRange> {
  readonly from: string;
  /** Maximum number of pairs. @default {no limit} */
  readonly limit?: number | undefined;
  /** Leaves the values empty, or begins with the last key, for which the engine may scan all pairs. @default {false} */
  readonly keysOnly?: boolean | undefined;
  readonly reverse?: boolean | undefined;
}

/** A write that happens as a whole, and only if one key did not change, or two. */
export interface GuardedWrite {
  /** The key that is compared, and written too. */
  readonly key: string;
  /** The version that it must have; {@link ABSENT} if it must not exist. */
  readonly version: number;
  /** The value that it must have too: an engine restored from a backup counts its versions again. @default {any} */
  readonly previous?: Uint8Array | undefined;
  /** Another key, with the version that it must have too. @default {none} */
  readonly also?: {readonly key: string; readonly version: number} | undefined;
  readonly value: Uint8Array;
  readonly puts: readonly (readonly [key: string, value: Uint8Array])[];
  readonly removes: readonly string[];
  readonly removedRanges: readonly KeyRange[];
  /** True if it may use the engine's last space, since space can only be freed by it, or after it. @default {false} */
  readonly usesReserve?: boolean | undefined;
}

/** Maximum number of operations of a write besides the guarded key. etcd allows 128 by default, and 63 times 64 in nested transactions. */
export const OPERATIONS_MAX = 63 * 64;

/** Longest prefix of keys, in bytes. */
export const PREFIX_BYTES_MAX = 64;

/**
 * Largest request, in bytes, with 32 for each operation, and 64 for each key beyond one of an operation. etcd allows 1.5 MiB by default; the rest is for
 * the prefix of one key of each operation.
 */
export const REQUEST_BYTES_MAX = 1280 * 1024;

/** Version of a key that does not exist. */
export const ABSENT = 0;

/** Result of a {@link GuardedWrite}; after a conflict with the guarded key as it is. */
export type WriteAnswer =
  | {readonly kind: 'written'; readonly version: number}
  | {readonly kind: 'conflict'; readonly answer: EngineAnswer};

/**
 * Kinds of failures of an engine:
 *
 * | kind | meaning |
 * |---|---|
 * | `unavailable` | it does not answer; nothing was written |
 * | `unknown` | it did not answer a write, which may happen, or has happened |
 * | `full` | it has no space for the write, which did not happen |
 * | `denied` | it refuses this user |
 * | `compacted` | it no longer has the state that was asked for |
 * | `too-large` | the request, which did not happen, or its answer would be too large; ask for less |
 */
export type EngineFailureKind = 'unavailable' | 'unknown' | 'full' | 'denied' | 'compacted' | 'too-large';

/** A failure of an engine. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly kind: EngineFailureKind;

  /** @param problem The reason, as a part of a sentence, without secrets. */
  constructor(kind: EngineFailureKind, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.kind = kind;
  }
}

/** Returns whether an error is a failure of the engine, of one of some kinds if any are given. */
export function isEngineFailure(error: unknown, ...kinds: readonly EngineFailureKind[]): error is EngineFailure {
  return error instanceof EngineFailure && (kinds.length === 0 || kinds.includes(error.kind));
}
