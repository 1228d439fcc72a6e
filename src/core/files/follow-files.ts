import {type FSWatcher, watch} from 'node:fs';
import {basename} from 'node:path';
import {codeOf} from '../failures/app-error.ts';
import {PROCESS_TIMERS, type Timers} from '../time/timers.ts';
import {wait} from '../time/wait.ts';

export interface FollowFilesDeps {
  /** Looks at the files, and acts on what has changed. */
  readonly look: () => Promise<Look>;
  /** Pause from a change until it is looked at, and between two looks while files change, in milliseconds. */
  readonly pauseMs: number;
  /** Ends the following. */
  readonly signal: AbortSignal;
  /** @default {PROCESS_TIMERS} */
  readonly timers?: Timers;
}

/** The result of one look at files. */
export interface Look {
  /** True if the files are changing, so that they have to be looked at again soon. */
  readonly isChanging: boolean;
  /** The folders whose changes matter. */
  readonly folders: readonly WatchedFolder[];
}

/**
 * Longest pause between two looks while the system watches all folders that exist, in milliseconds: for changes that it does not report,
 * such as those that another machine makes on a network, of a directory above, or behind a link, and for folders that appear.
 */
const LOOK_INTERVAL_MS = 20_000;

/** The same if the system cannot watch a folder that exists: its limits are reached, or the watch has failed. */
const UNWATCHED_LOOK_INTERVAL_MS = 2000;

/**
 * Looks at files each time that they may have changed, until the signal is aborted. While nothing changes the process is woken only by the
 * look that is behind the watches of the system.
 *
 * @throws Whatever `look` throws.
 */
export async function followFiles({look, pauseMs, signal, timers = PROCESS_TIMERS}: FollowFilesDeps): Promise<void> {
  const watched = new WatchedFolders();
  try {
    for (;;) {
      await wait(pauseMs, {timers, signals: [signal]});
      if (signal.aborted) return;
      const {isChanging, folders} = await look();
      if (isChanging) {
        // If the system did not report the change, what it watches may be another folder than the one that has the path now.
        watched.close();
        continue;
      }
      const {hasBegun, isComplete} = watched.watch(folders);
      // A change between the look and the beginning of a watch is found by the next look.
      if (hasBegun) continue;
      const intervalMs = isComplete ? LOOK_INTERVAL_MS : UNWATCHED_LOOK_INTERVAL_MS;
      await wait(intervalMs - pauseMs, {timers, signals: [signal, watched.changed]});
    }
  } finally {
    watched.close();
  }
}

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
class WatchedFolders {
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
