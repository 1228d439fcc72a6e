import {computed, type ReadonlySignal, signal} from '@preact/signals';

/**
 * Token of the owner: in the memory of this page, and in the storage of its tab, so that a reload keeps it. Never in its address, its document, or a
 * storage that outlives the tab.
 */
const token = signal<string | undefined>(undefined);

/** Keeps a token while a tab is open. */
export interface TokenStorage {
  read(): string | undefined;
  /** Replaces the token; `undefined` removes it. */
  write(token: string | undefined): void;
}

let kept: TokenStorage | undefined;

/** True if this page may change the service itself: allowed origins, plugins, faults. */
export const isOwner: ReadonlySignal<boolean> = computed(() => token.value !== undefined);

/** Returns the headers with which a call proves that it is the owner's. */
export function ownerHeaders(): Readonly<Record<string, string>> {
  return token.value === undefined ? {} : {Authorization: `Bearer ${token.value}`};
}

/** Takes the token that this tab had before the page was loaded, and keeps later ones in the same place. */
export function restoreOwnerToken(storage: TokenStorage): void {
  kept = storage;
  token.value = storage.read();
}

/** Keeps the token until the tab is closed, the user gives it up, or the service refuses it. */
export function keepOwnerToken(received: string): void {
  token.value = received;
  kept?.write(received);
}

/**
 * Forgets the token: the service refused it, or the user gives it up.
 *
 * @param refused Headers that the service refused: a token that the page got meanwhile stays. @default {those of the token}
 */
export function forgetOwnerToken(refused: Readonly<Record<string, string>> = ownerHeaders()): void {
  if (refused['Authorization'] !== ownerHeaders()['Authorization']) return;
  token.value = undefined;
  kept?.write(undefined);
}
