import {isOwnOrigin, isTopLevel} from './own-origin.ts';
import type {TokenStorage} from './owner.ts';
import {pageMarks} from './page-marks.ts';

/** Name with which the service marks a console that a page of another site, or of a plugin, opened. */
const OTHER_PAGE = 'opened-by-other-page';

/** Names in the storage of the tab: of the token, and of the mark of its entries of the history, which no page of another origin can read. */
const [KEY, MARK_KEY] = ['crewroom-owner-token', 'crewroom-owner-mark'] as const;

/**
 * Opens the storage of this tab. It keeps nothing under other names than the console's own, where pages of plugins have the same storage, in a frame,
 * which another site may surround, and in browsers that keep nothing: there the rights end with the page. Browsers copy it to a window that a frame of
 * this tab opens, so what another page opened begins without a token, also by going back to a page of its own that leads here since, or by its reload.
 * Reloads of the console, and going back to it, keep the token: its entries of the history, which no other window has, are marked.
 */
export function openTabStorage(): TokenStorage {
  const [navigation] = performance.getEntriesByType('navigation') as readonly Partial<PerformanceNavigationTiming>[];
  const isPlain = navigation?.type === 'navigate' && pageMarks().every(({name}) => name !== OTHER_PAGE);
  const isOwnEntry = history.state !== null && history.state === use(storage => storage.getItem(MARK_KEY));
  if (!isPlain && !isOwnEntry) use(storage => storage.removeItem(KEY));
  markEntry();
  addEventListener('hashchange', markEntry);
  return {
    read: () => use(storage => storage.getItem(KEY)) ?? undefined,
    write: token => {
      use(storage => (token === undefined ? storage.removeItem(KEY) : storage.setItem(KEY, token)));
      use(storage => storage.setItem(MARK_KEY, crypto.randomUUID()));
      markEntry();
    },
  };
}

function markEntry(): void {
  use(storage => history.replaceState(storage.getItem(MARK_KEY), ''));
}

function use<T>(act: (storage: Storage) => T): T | undefined {
  if (!isOwnOrigin() || !isTopLevel()) return undefined;
  try {
    return act(sessionStorage);
  } catch {
    return undefined;
  }
}
