import type {Listing} from '../service/documents.ts';
import {type ListedEntry, listEntries} from './entry-calls.ts';
import {lastKeyUnder} from './key-order.ts';

/** A line of the list: an entry, or a folder, which stands for all keys that begin with its path. `key` is unique and orders them. */
export type Row =
  | {readonly kind: 'entry'; readonly key: string; readonly entry: ListedEntry}
  | {readonly kind: 'folder'; readonly key: string};

/** Selects a page of rows. */
export interface RowRequest {
  /** The row after which the page begins, in its direction. @default {from the start, or from the end} */
  readonly after?: Row | undefined;
  /** Towards the start: the page begins with the row that is nearest to `after`. */
  readonly reverse: boolean;
  readonly signal: AbortSignal;
}

/** A page of rows. */
export interface RowPage {
  readonly rows: readonly Row[];
  /** True if rows follow in its direction. */
  readonly hasMore: boolean;
}

/** Loads rows, page by page. */
export type RowSource = (request: RowRequest) => Promise<RowPage>;

/** Rows of a page. A page of this size takes the service about a millisecond. */
export const PAGE_ROWS = 500;

/** Entries that are read at once to find folders: most of them are passed over with the next cursor. */
const FOLDER_ENTRIES = 100;

/** Maximum number of calls for a page of folders, so that the first ones appear soon. */
const FOLDER_CALLS_MAX = 20;

/** Returns a source of all entries whose keys begin with a prefix. */
export function entriesUnder(prefix: string): RowSource {
  return async request => {
    const {entries, cursor} = await list(prefix, request, PAGE_ROWS);
    return {rows: entries.map(entry => toRow(prefix, 'list', entry)), hasMore: cursor !== undefined};
  };
}

/** Returns a source of the folders and entries of one level: keys are cut after the first slash after the prefix. */
export function levelUnder(prefix: string): RowSource {
  return async ({after, reverse, signal}) => {
    const rows: Row[] = [];
    let last = after;
    for (let calls = 0; calls < FOLDER_CALLS_MAX && rows.length < PAGE_ROWS; calls++) {
      const {entries, cursor} = await list(prefix, {after: last, reverse, signal}, FOLDER_ENTRIES);
      for (const entry of entries) {
        const row = toRow(prefix, 'folders', entry);
        if (row.kind === 'entry' || row.key !== rows.at(-1)?.key || rows.at(-1)?.kind !== 'folder') rows.push(row);
      }
      if (cursor === undefined) return {rows, hasMore: false};
      last = rows.at(-1);
    }
    return {rows, hasMore: true};
  };
}

/** View of the entries under a prefix: all of them, or one level of folders. */
export type View = 'list' | 'folders';

/** Returns the row that shows an entry. */
export function toRow(prefix: string, view: View, entry: ListedEntry): Row {
  const slash = view === 'list' ? -1 : entry.key.indexOf('/', prefix.length);
  return slash === -1 ? {kind: 'entry', key: entry.key, entry} : {kind: 'folder', key: entry.key.slice(0, slash + 1)};
}

/** Returns whether any key begins with a prefix. */
export async function hasKeys(prefix: string, signal: AbortSignal): Promise<boolean> {
  const {entries} = await list(prefix, {reverse: false, signal}, 1);
  return entries.length > 0;
}

function list(prefix: string, {after: row, reverse, signal}: RowRequest, limit: number): Promise<Listing> {
  // A cursor that passes over all keys of a row. In reverse a folder's own path is before all keys in it.
  const after = row?.kind === 'folder' && !reverse ? lastKeyUnder(row.key) : row?.key;
  const from = after === undefined ? {} : {after};
  return listEntries({prefix, limit: String(limit), ...from, ...(reverse ? {reverse: 'true'} : {})}, signal);
}
