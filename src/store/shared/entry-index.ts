import type {PutChange} from '../../domain/commits/change.ts';
import {hasExpired} from '../../domain/commits/time-to-live.ts';
import {createEntryInfo, type EntryInfo} from '../../domain/entries/entry.ts';
import {type Key, trustStoredKey} from '../../domain/entries/key.ts';
import type {Range} from '../../domain/entries/range.ts';
import {SortedEntries} from '../memory/sorted-entries.ts';
import {SortedKeys} from '../memory/sorted-keys.ts';
import type {ExpireOperation} from '../plan/plan.ts';
import type {LogPart} from './engine/log-record.ts';

/** Number of digits that hold every time of expiry, in milliseconds. */
const TIME_DIGITS = 15;

/** A time of expiry and a key; rows sort by time, then by key. */
type ExpiryRow = `${string}${Key}`;

/** Entries that have expired, soonest first. */
export interface DueEntries {
  readonly due: readonly ExpireOperation[];
  /** Time until the next expiry that is not in `due`, in milliseconds; undefined if there is none. */
  readonly nextMs: number | undefined;
}

/** Result of {@link listInfos}. */
export interface ListedInfos {
  readonly infos: readonly EntryInfo[];
  /** The skipped entry that expired last. */
  readonly expired: EntryInfo | undefined;
}

/** All entries of a store without their values, in memory. */
export class EntryIndex {
  readonly #entries = new SortedEntries<EntryInfo>();
  readonly #expiries = new SortedKeys<ExpiryRow>();
  /** Copy of the present entries, for snapshots; undefined once they have changed. */
  #copy: SortedEntries<EntryInfo> | undefined;

  /** Number of entries, also of those that have expired. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns an entry, also if it has expired. */
  get(key: Key): EntryInfo | undefined {
    return this.#entries.get(key);
  }

  /** Returns the entries as they are now. Later changes do not affect them. */
  freeze(): SortedEntries<EntryInfo> {
    this.#copy ??= this.#entries.copy();
    return this.#copy;
  }

  /** Lists a range as it is now. */
  list(range: Range, nowMs: number): ListedInfos {
    return listInfos(this.#entries, range, nowMs);
  }

  /** Adds or replaces an entry. */
  set(info: EntryInfo): void {
    this.#copy = undefined;
    this.#removeExpiry(info.key);
    this.#entries.set(info);
    if (info.expiresAtMs !== undefined) this.#expiries.add(formatExpiryRow(info.expiresAtMs, info.key));
  }

  /** Removes an entry, if it is there. */
  remove(key: Key): void {
    this.#copy = undefined;
    this.#removeExpiry(key);
    this.#entries.remove(key);
  }

  /** Applies changes of the log. */
  apply({changes, updatedAtMs}: LogPart): void {
    for (const change of changes) {
      if (change.kind === 'put') this.set(infoOf(change, updatedAtMs));
      else this.remove(change.key);
    }
  }

  /** Removes all entries. */
  clear(): void {
    this.#copy = undefined;
    this.#entries.clear();
    this.#expiries.clear();
  }

  /** Finds the entries that have expired, at most `limit`. */
  findDue(nowMs: number, limit: number): DueEntries {
    const due: ExpireOperation[] = [];
    for (const row of this.#expiries.after(() => false)) {
      const expiry = parseExpiryRow(row);
      const isDue = expiry.expiresAtMs <= nowMs;
      if (!isDue || due.length === limit) return {due, nextMs: isDue ? 0 : expiry.expiresAtMs - nowMs};
      due.push(expiry);
    }
    return {due, nextMs: undefined};
  }

  #removeExpiry(key: Key): void {
    const found = this.#entries.get(key);
    if (found?.expiresAtMs !== undefined) this.#expiries.remove(formatExpiryRow(found.expiresAtMs, key));
  }
}

/** Lists a range of entries as they are at a time, in milliseconds since the Unix epoch. */
export function listInfos(entries: SortedEntries<EntryInfo>, range: Range, nowMs: number): ListedInfos {
  const {prefix, limit, values = false, valuesBytesMax = Infinity} = range;
  const infos: EntryInfo[] = [];
  let expired: EntryInfo | undefined;
  let valuesBytes = 0;
  for (const info of entries.in(range)) {
    if (!info.key.startsWith(prefix) || infos.length === limit || valuesBytes >= valuesBytesMax) break;
    if (hasExpired(info, nowMs)) {
      if ((expired?.expiresAtMs ?? 0) < info.expiresAtMs) expired = info;
      continue;
    }
    infos.push(info);
    if (values) valuesBytes += info.sizeBytes;
  }
  return {infos, expired};
}

function infoOf({key, revision, sizeBytes, expiresAtMs, writtenBy}: PutChange, updatedAtMs: number): EntryInfo {
  return createEntryInfo({key, revision, sizeBytes, updatedAtMs, expiresAtMs, writtenBy});
}

function formatExpiryRow(expiresAtMs: number, key: Key): ExpiryRow {
  return `${String(expiresAtMs).padStart(TIME_DIGITS, '0')}${key}`;
}

function parseExpiryRow(row: ExpiryRow): ExpireOperation {
  return {kind: 'expire', key: trustStoredKey(row.slice(TIME_DIGITS)), expiresAtMs: Number(row.slice(0, TIME_DIGITS))};
}
