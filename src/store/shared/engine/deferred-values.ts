import type {PutChange} from '../../../domain/commits/change.ts';
import type {EntryInfo} from '../../../domain/entries/entry.ts';
import type {Key} from '../../../domain/entries/key.ts';
import type {Revision} from '../../../domain/entries/revision.ts';
import {beginEntryRecord, endEntryRecord} from '../../format/entry-record.ts';
import {encodePrincipal} from '../../format/principal.ts';
import {entryKey} from './engine-keys.ts';
import type {Head} from './head.ts';
import type {LogPart} from './log-record.ts';

/**
 * Largest value that a group writes into the change log only, in bytes. A request takes time for each of its operations: 64 puts in one part of
 * the log take etcd 1.3 ms, and 2.1 ms with 64 records beside it. Larger values would make checkpoints large.
 */
export const DEFERRED_BYTES_MAX = 2048;

/**
 * Returns whether the value of an entry is to be read from the change log: its record may be an older one.
 *
 * @param head The head of the state from which the entry is.
 */
export function isDeferred({revision, sizeBytes}: Pick<EntryInfo, 'revision' | 'sizeBytes'>, head: Head): boolean {
  return revision > head.checkpoint.revision && sizeBytes <= DEFERRED_BYTES_MAX;
}

/** A put whose record is not written yet. */
interface DeferredPut {
  readonly change: PutChange;
  /** Time of the write by the clock of the machine, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
}

/** The last put of each key that is only in the change log: what a checkpoint writes into records. */
export class DeferredValues {
  /** The lowest revisions come first. */
  readonly #puts = new Map<Key, DeferredPut>();

  #bytes = 0;

  /** Number of keys. */
  get size(): number {
    return this.#puts.size;
  }

  /** Size of the keys and values, in bytes; of keys in characters. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Applies changes of the log, in the order of their revisions. */
  apply({changes, updatedAtMs}: LogPart): void {
    for (const change of changes) {
      this.#remove(change.key);
      if (change.kind !== 'put' || change.sizeBytes > DEFERRED_BYTES_MAX) continue;
      this.#puts.set(change.key, {change, updatedAtMs});
      this.#bytes += bytesOf(change);
    }
  }

  /** Forgets what the checkpoint at a revision has written. */
  dropUpTo(revision: Revision): void {
    for (const [key, {change}] of this.#puts) {
      if (change.revision > revision) return;
      this.#remove(key);
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#puts.clear();
    this.#bytes = 0;
  }

  /** Returns the records to be written, with their keys in the engine. */
  encode(): readonly (readonly [key: string, record: Buffer])[] {
    return [...this.#puts.values()].map(put => [entryKey(put.change.key), encodeRecord(put)]);
  }

  #remove(key: Key): void {
    const found = this.#puts.get(key);
    if (found === undefined) return;
    this.#puts.delete(key);
    this.#bytes -= bytesOf(found.change);
  }
}

function bytesOf({key, sizeBytes}: PutChange): number {
  return key.length + sizeBytes;
}

function encodeRecord({change, updatedAtMs}: DeferredPut): Buffer {
  const {key, json, writtenBy} = change;
  if (json === undefined) throw new TypeError('a value that is deferred is in the change log');
  const record = beginEntryRecord(json, encodePrincipal(writtenBy));
  endEntryRecord(record, key, {...change, updatedAtMs});
  return record;
}
