import type {Principal} from '../../domain/access/access.ts';
import type {Change} from '../../domain/commits/change.ts';
import type {
  CommitResult,
  DeleteOperation,
  PatchOperation,
  PutOperation,
  TouchOperation,
} from '../../domain/commits/commit.ts';
import type {Key} from '../../domain/entries/key.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import type {StoreId} from '../../domain/entries/store-id.ts';
import type {JsonText} from '../../json/json-text.ts';
import type {EntryState} from '../format/entry-state.ts';

/** Removes an entry if this is its time of expiry and has come. Only a store itself commits such operations. */
export interface ExpireOperation {
  readonly kind: 'expire';
  readonly key: Key;
  readonly expiresAtMs: number;
}

/** A put in a store. */
export interface StorePut extends PutOperation {
  /** The begun record of a value that the store has copied, see `recordOf`. Never set for results of patches and touches. */
  record?: Buffer | undefined;
}

/** An operation as a store plans it: a {@link Commit} of these does not refer to the bytes of its caller, and may remove expired entries. */
export type StoreOperation = StorePut | DeleteOperation | PatchOperation | TouchOperation | ExpireOperation;

/** Result of the first commits of a group, applied one after the other. */
export interface Plan {
  /** The last write of each key. */
  readonly writes: ReadonlyMap<Key, PlannedWrite>;
  /** Every change of every commit, in their order. */
  readonly changes: readonly Change[];
  /** Rows of the expiry index that no longer match an entry, to be removed. */
  readonly stale: readonly ExpireOperation[];
  /** The latest time of expiry among the entries that a commit treated as expired, in milliseconds since the Unix epoch; 0 for none. */
  readonly seenExpiryMs: number;
  /** Revision of the last commit that changed something. */
  readonly revision: Revision;
  /** Time by the clock of the store, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Time by the clock of the machine, likewise. */
  readonly updatedAtMs: number;
  /** Result of each of these commits, or the reason why it does not happen. */
  readonly results: readonly (CommitResult | Error)[];
}

/** The last write of a key in a group. */
export interface PlannedWrite {
  readonly revision: Revision;
  /** Time of the write by the clock of the machine, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  /** The put, or the result of a patch or a touch. Undefined if the entry is removed. */
  readonly put: StorePut | undefined;
  /** Time of expiry of the written entry; undefined for never. */
  readonly expiresAtMs: number | undefined;
  /** The caller of the commit; undefined if it is not known. */
  readonly writtenBy?: Principal | undefined;
  /** Time of expiry of the entry before the group, so that its row can be removed. */
  readonly expiredAtMs: number | undefined;
}

/** State of a store before the first commit of a group; entries may have expired. */
export interface GroupStart {
  readonly storeId: StoreId;
  readonly revision: Revision;
  /** Time by the clock of the store, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Time by the clock of the machine, likewise. */
  readonly updatedAtMs: number;
  /** Finds the state of an entry. An `AppError` fails only the commit that asked; any other error fails the group. */
  readonly stateOf: (key: Key) => EntryState | undefined;
  /** Finds the value of an entry, likewise; called only for patches and touches. */
  readonly jsonOf: (key: Key) => JsonText | undefined;
}
