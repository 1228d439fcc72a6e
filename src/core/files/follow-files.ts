import {PROCESS_TIMERS, type Timers} from '../time/timers.ts';
import {wait} from '../time/wait.ts';
import {type WatchedFolder, WatchedFolders} from './watched-folders.ts';

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
