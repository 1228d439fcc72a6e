import {computed, type ReadonlySignal, type Signal, signal} from '@preact/signals';

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

/** True once the service refused the token of this page, until it has another one. */
export const wasTokenRefused: Signal<boolean> = signal(false);

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
  wasTokenRefused.value = false;
  kept?.write(received);
}

/** Forgets the token: the user gives it up. */
export function forgetOwnerToken(): void {
  token.value = undefined;
  kept?.write(undefined);
}

/** Forgets a token that the service refused, and lets the page say so. A token that the page got meanwhile stays. @param sent Headers with the refused one. */
export function dropRefusedToken(sent: Readonly<Record<string, string>>): void {
  if (!isOwner.value || sent['Authorization'] !== ownerHeaders()['Authorization']) return;
  wasTokenRefused.value = true;
  forgetOwnerToken();
}
