import {computed, type ReadonlySignal, signal} from '@preact/signals';

/**
 * Token of the owner, in the memory of this page only: never in its address, its storage or its document. One for each page, since every
 * call of the page sends it.
 */
const token = signal<string | undefined>(undefined);

/** True if this page may change the service itself: allowed origins, plugins, faults. */
export const isOwner: ReadonlySignal<boolean> = computed(() => token.value !== undefined);

/** Returns the headers with which a call proves that it is the owner's. */
export function ownerHeaders(): Readonly<Record<string, string>> {
  return token.value === undefined ? {} : {Authorization: `Bearer ${token.value}`};
}

/** Keeps the token until the page is closed, or the service refuses it. */
export function keepOwnerToken(received: string): void {
  token.value = received;
}

/** Forgets the token: the service that gave it has ended. */
export function forgetOwnerToken(): void {
  token.value = undefined;
}
