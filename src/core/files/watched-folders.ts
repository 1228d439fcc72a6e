import {type FSWatcher, watch} from 'node:fs';
import {basename} from 'node:path';
import {codeOf} from '../failures/app-error.ts';

/** A folder in which changes are looked for. */
export interface WatchedFolder {
  readonly path: string;
  /** Name of the only entry that matters. @default {all of them} */
  readonly only?: string;
  /** True if it is in another folder of the list, at any depth, all entries of which matter. */
  readonly isWithin?: boolean;
}

/**
 * Largest number of folders that are watched at once. Linux allows 8,192 to a user by default, on machines with little memory, and all
 * programs share them.
 */
const WATCHED_MAX = 500;

/**
 * True if one watch is for folders of any depth. On Windows one more for a folder in it would keep the first from being renamed. Elsewhere
 * Node would watch each file.
 */
const WATCHES_TREES = process.platform === 'win32' || process.platform === 'darwin';

/**
 * Folders that the operating system watches, until the first change in one of them. They are a hint: file systems on a network have changes
 * that no system reports, and a folder may be moved with those above it. After a change none is watched, which costs nothing however many
 * follow, does not hold a folder that is about to be removed, and leaves no watch on a folder that another one has replaced.
 */
export class WatchedFolders {
  /** By {@link keyOf}. */
  readonly #watchers = new Map<string, FSWatcher>();
  /** Keys of the watches that have failed since {@link watch} last began none. */
  readonly #failed = new Set<string>();
  #changed = new AbortController();

  /** Aborted at the first change since {@link watch}. */
  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  /**
   * Watches these folders and no others. A watch that failed counts as refused once, so that it is tried again only after a pause.
   *
   * @returns `hasBegun`: a folder is watched that was not, so that a change before may have gone unnoticed. `isComplete`: all that exist
   * are watched.
   */
  watch(folders: readonly WatchedFolder[]): {readonly hasBegun: boolean; readonly isComplete: boolean} {
    if (this.#changed.signal.aborted) this.#changed = new AbortController();
    const own = WATCHES_TREES ? folders.filter(({isWithin}) => isWithin !== true) : folders;
    const wanted = new Map(own.slice(0, WATCHED_MAX).map(folder => [keyOf(folder), folder]));
    for (const key of this.#watchers.keys()) if (!wanted.has(key)) this.#close(key);
    const missing = [...wanted].filter(([key]) => !this.#watchers.has(key));
    const results = missing.map(([key, folder]) => (this.#failed.has(key) ? 'refused' : this.#open(key, folder)));
    const hasBegun = results.includes('begun');
    if (!hasBegun) this.#failed.clear();
    return {hasBegun, isComplete: !results.includes('refused') && own.length <= WATCHED_MAX};
  }

  /** Watches no folder any more. */
  close(): void {
    for (const key of this.#watchers.keys()) this.#close(key);
  }

  #open(key: string, {path, only}: WatchedFolder): 'begun' | 'missing' | 'refused' {
    const notice = (): void => {
      this.close();
      this.#changed.abort();
    };
    // Linux reports the removal and the move of a watched folder under its own name.
    const names = only === undefined ? undefined : [only, basename(path)].map(comparable);
    try {
      const watcher = watch(path, {persistent: false, recursive: WATCHES_TREES && only === undefined}, (_, name) => {
        if (names === undefined || name === null || names.includes(comparable(name))) notice();
      });
      // On Windows a folder that is removed while it is watched is an error.
      watcher.on('error', () => {
        this.#failed.add(key);
        notice();
      });
      this.#watchers.set(key, watcher);
      return 'begun';
    } catch (error) {
      return codeOf(error) === 'ENOENT' ? 'missing' : 'refused';
    }
  }

  #close(key: string): void {
    this.#watchers.get(key)?.close();
    this.#watchers.delete(key);
  }
}

/** Returns a name without what Windows and macOS ignore in it. Elsewhere a change of a similar name costs one look. */
function comparable(name: string): string {
  return name.normalize().toLowerCase();
}

/** Returns a text that is the same for two watches of the same changes. */
function keyOf({path, only = ''}: WatchedFolder): string {
  return `${path}\n${only}`;
}
