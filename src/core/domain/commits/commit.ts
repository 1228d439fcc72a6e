import type {JsonText} from '../../json/json-text.ts';
import type {Principal} from '../access/access.ts';
import type {Expectation} from '../entries/entry.ts';
import type {Key, Revision} from '../entries/identifiers.ts';
import type {ValueLimits} from '../entries/value.ts';

/** A transaction: operations, and the checks that must hold. Each key at most once in each list. */
export interface Commit<O = Operation> {
  readonly checks: readonly Check[];
  readonly operations: readonly O[];
  /** Limits for the results of patches. @default {no limits} */
  readonly limits?: PatchLimits | undefined;
  /** The caller whose commit it is, which entries and changes then name; at most 253 characters behind the colon. @default {unknown} */
  readonly writtenBy?: Principal | undefined;
  /**
   * Id of the commit, different for every other commit of its caller, such as a random UUID. If it was applied, the same commit sent again with it,
   * such as after `outcome-unknown`, which names the id, returns the result of that, as far as the change log reaches; if it was refused, it is
   * tried anew. For another caller the id is another one. An engine that gave the id takes it only from the caller of that commit, with its operations.
   * @default {chosen by an engine that needs one}
   */
  readonly id?: string | undefined;
}

/** Longest {@link Commit.id} of a client, in characters: three times that of a UUID. */
export const COMMIT_ID_LENGTH_MAX = 108;

/** Limits for values that are computed when the commit is applied. */
export interface PatchLimits extends ValueLimits {
  /** Maximum bytes of all patches of the commit and all values that it patches or touches. @default {Infinity} */
  readonly patchedBytesMax?: number | undefined;
}

/** The caller of a write. */
export type Writer = Pick<Commit, 'writtenBy'>;

/** A condition on a key when the commit is applied. */
export interface Check {
  readonly key: Key;
  readonly expected: Expectation;
}

/** One change of a commit. */
export type Operation = WriteOperation | PatchOperation | TouchOperation;

/** A change whose result does not depend on the current entry. */
export type WriteOperation = PutOperation | DeleteOperation;

/** Stores a value. */
export interface PutOperation {
  readonly kind: 'put';
  readonly key: Key;
  readonly json: JsonText;
  /** Without it the entry never expires, even if it had an expiry before. */
  readonly expiry?: Expiry | undefined;
}

/**
 * When an entry expires: some time after its commit, or at a given time. The clock of the store follows the clocks of the
 * machines that write to it but never goes back, so that an expired entry never returns.
 */
export type Expiry =
  | {readonly kind: 'after'; readonly ttlSeconds: number}
  | {readonly kind: 'at'; readonly expiresAtMs: number};

/** Changes when an entry expires, but not its value. The entry must exist. */
export interface TouchOperation {
  readonly kind: 'touch';
  readonly key: Key;
  /** Without it the entry never expires. */
  readonly expiry?: Expiry | undefined;
}

/** Deletes an entry. Deleting a missing entry succeeds: see {@link Outcome}. */
export interface DeleteOperation {
  readonly kind: 'delete';
  readonly key: Key;
}

/**
 * Applies a merge patch (RFC 7396) to the current value, if any. An operation of its own, so that concurrent patches of one
 * key need no retries. The expiry of the entry does not change.
 */
export interface PatchOperation {
  readonly kind: 'patch';
  readonly key: Key;
  readonly patch: JsonText;
}

/** The result of a commit. */
export interface CommitResult {
  /** The revision of the commit, or of the last commit before it if it changed nothing. */
  readonly revision: Revision;
  /** One for each operation, in their order. */
  readonly outcomes: readonly Outcome[];
}

/**
 * The result of an operation: a put or a patch `created` or `replaced`, a touch `replaced`, a delete `deleted` or found the
 * key `absent`.
 */
export type Outcome = 'created' | 'replaced' | 'deleted' | 'absent';
