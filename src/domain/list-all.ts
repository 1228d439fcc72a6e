import {type Entries, LIST_LIMIT, type ListOptions} from './entries.ts';
import type {Entry, EntryInfo} from './entry.ts';

/** Which entries, and how many at a time. */
export interface ListAllOptions extends Omit<ListOptions, 'limit'> {
  /** How many entries each page has at most, 1 to `LIST_LIMIT_MAX`. @default {LIST_LIMIT} */
  readonly pageLimit?: number | undefined;
}

/**
 * Every entry in the order of their keys, from as many pages as it takes; each page is read when the one before is used
 * up, so whoever stops early reads no more. Each page is of its own moment.
 *
 * @example
 * ```ts
 * for await (const {key, sizeBytes} of listAll(crewroom.entries, {prefix: 'com.example.hello/'})) console.log(key, sizeBytes);
 * ```
 * @throws {AppError} As {@link Entries.list}.
 */
export function listAll(
  entries: Pick<Entries, 'list'>,
  options: ListAllOptions & {readonly values: true},
): AsyncIterable<Entry>;
export function listAll(entries: Pick<Entries, 'list'>, options?: ListAllOptions): AsyncIterable<EntryInfo>;
export function listAll(entries: Pick<Entries, 'list'>, options: ListAllOptions = {}): AsyncIterable<EntryInfo> {
  return readPages(entries, options);
}

async function* readPages(
  entries: Pick<Entries, 'list'>,
  {pageLimit = LIST_LIMIT, ...options}: ListAllOptions,
): AsyncGenerator<EntryInfo> {
  let {after} = options;
  do {
    const page = await entries.list({...options, limit: pageLimit, after});
    yield* page.entries;
    after = page.next;
  } while (after !== undefined);
}
