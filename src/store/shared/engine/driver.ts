/**
 * The port of a network engine: ordered keys, and one kind of write, which happens only if one key is unchanged. Everything that
 * a store needs beyond that is in `shared-store.ts` and the files that it uses, so a driver stays small.
 *
 * Keys are well-formed texts, ordered by their UTF-8 bytes. Every method ends within a few seconds, and throws an
 * {@link EngineFailure} if the engine does not answer by then.
 */
export interface Driver extends AsyncDisposable {
  /** Reads some keys as they are at one moment. Linearizable: sees every write that was acknowledged before the call. */
  read(keys: readonly string[], options?: EngineReadOptions): Promise<readonly (StoredValue | undefined)[]>;
  /** Reads the pairs of a range in the order of their keys, likewise. */
  range(range: PairRange, options?: EngineReadOptions): Promise<readonly StoredPair[]>;
  /** Writes everything if the guarded key has the expected version, and nothing otherwise. */
  compareAndWrite(write: GuardedWrite): Promise<WriteAnswer>;
  /**
   * Calls the listener soon after each change of a key, and after each interruption, since changes may have been missed then.
   *
   * @returns A function that ends it.
   */
  watch(key: string, listener: (version: number | undefined) => void): () => void;
}

/** Selects the state that is read. */
export interface EngineReadOptions {
  /** Number of a write: reads the state after it. @default {the present state} */
  readonly at?: number | undefined;
}

/** A value in the engine. */
export interface StoredValue {
  readonly value: Buffer;
  /** Number of the write that wrote it. Each write of the engine has a higher number than all before. */
  readonly version: number;
  /** Number of the last write of the engine, of any key, when the value was read: for {@link EngineReadOptions.at}. */
  readonly readAt: number;
}

/** A value with its key. */
export interface StoredPair extends StoredValue {
  readonly key: string;
}

/** Keys from `from`, to before `to`. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** The part of a {@link KeyRange} that one call reads. */
export interface PairRange extends KeyRange {
  readonly limit: number;
  /** Leaves the values empty. @default {false} */
  readonly keysOnly?: boolean | undefined;
}

/** A write that happens as a whole, and only if one key did not change. */
export interface GuardedWrite {
  /** The key that is compared, and written too. */
  readonly key: string;
  /** The version that it must have; {@link ABSENT} if it must not exist. */
  readonly version: number;
  /** The value that it must have too: an engine that is restored from a backup counts its versions again. @default {any} */
  readonly previous?: Uint8Array | undefined;
  readonly value: Uint8Array;
  readonly puts: readonly (readonly [key: string, value: Uint8Array])[];
  readonly removes: readonly string[];
  readonly removedRanges: readonly KeyRange[];
  /** True if it may use the last space of the engine, since space can only be freed by it, or after it. @default {false} */
  readonly usesReserve?: boolean | undefined;
}

/**
 * Maximum number of keys of a read, and of operations of a write. etcd allows 128 operations by default, but nested transactions have
 * limits of their own, which are enough for 4,032.
 */
export const OPERATIONS_MAX = 2000;

/** Version of a key that does not exist. */
export const ABSENT = 0;

/** Result of a {@link GuardedWrite}. */
export type WriteAnswer =
  | {readonly kind: 'written'; readonly version: number}
  | {readonly kind: 'conflict'; readonly found: StoredValue | undefined};

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
 * | `too-large` | the answer would be too large; ask for less |
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
