import type {Entries, ListOptions} from './entries.ts';
import type {Entry, EntryInfo} from './entry.ts';

/** Selects the entries to list, and the size of a page. */
export interface ListAllOptions extends Omit<ListOptions, 'limit'> {
  /** Maximum number of entries per page, 1 to `Limits.listLimitMax`. @default {DEFAULT_LIMITS.listLimit} */
  readonly pageLimit?: number | undefined;
}

/**
 * Iterates over all entries in the order of their keys. Reads page by page, and only as far as the caller iterates. Each
 * page shows the store at the time of its reading.
 *
 * @example
 * ```ts
 * import {listAll, openCrewroom} from 'crewroom';
 *
 * const crewroom = await openCrewroom({ephemeral: true});
 * await crewroom.entries.put('com.example.hello/settings', '0.5');
 * for await (const {key, sizeBytes} of listAll(crewroom.entries, {prefix: 'com.example.hello/'})) {
 *   console.log(key, sizeBytes); // com.example.hello/settings 3
 * }
 * await crewroom[Symbol.asyncDispose]();
 * ```
 * @throws {AppError} See {@link Entries.list}.
 */
export function listAll(
  entries: Pick<Entries, 'list'>,
  options: ListAllOptions & {readonly values: true},
): AsyncIterable<Entry>;
export function listAll(entries: Pick<Entries, 'list'>, options?: ListAllOptions): AsyncIterable<EntryInfo>;
export async function* listAll(
  entries: Pick<Entries, 'list'>,
  {pageLimit, ...options}: ListAllOptions = {},
): AsyncIterable<EntryInfo> {
  let {after} = options;
  do {
    const page = await entries.list({...options, limit: pageLimit, after});
    yield* page.entries;
    after = page.next;
  } while (after !== undefined);
}
