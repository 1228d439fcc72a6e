import type {Entries, ListAllOptions} from './entries.ts';
import type {ListedEntry} from './entry.ts';
import type {TypedEntry} from './typed-entry.ts';

/**
 * Iterates over all entries in the order of their keys. Reads page by page, and only as far as the caller iterates. Each
 * page shows the store at the time of its reading.
 * @throws {AppError} See {@link Entries.list}.
 */
export function listAll(
  entries: Pick<Entries, 'list'>,
  options: ListAllOptions & {readonly values: true},
): AsyncIterable<TypedEntry>;
export function listAll(entries: Pick<Entries, 'list'>, options?: ListAllOptions): AsyncIterable<ListedEntry>;
export async function* listAll(
  entries: Pick<Entries, 'list'>,
  {pageLimit, ...options}: ListAllOptions = {},
): AsyncIterable<ListedEntry> {
  let {after} = options;
  do {
    const page = await entries.list({...options, limit: pageLimit, after});
    yield* page.entries;
    after = page.cursor;
  } while (after !== undefined);
}
