import {isOwnOrigin, isTopLevel} from './own-origin.ts';
import type {TokenStorage} from './owner.ts';

/** Name of the token in the storage of the tab. */
const KEY = 'crewroom-owner-token';

/**
 * Opens the storage of this tab. It keeps nothing under other names than the console's own, where pages of plugins have the same storage, in a frame,
 * which another site may surround, and in browsers that keep nothing: there the rights end with the page.
 */
export function openTabStorage(): TokenStorage {
  return {
    read: () => use(storage => storage.getItem(KEY)) ?? undefined,
    write: token => void use(storage => (token === undefined ? storage.removeItem(KEY) : storage.setItem(KEY, token))),
  };
}

function use<T>(act: (storage: Storage) => T): T | undefined {
  if (!isOwnOrigin() || !isTopLevel()) return undefined;
  try {
    return act(sessionStorage);
  } catch {
    return undefined;
  }
}
