/** Shortest time between two screen changes, in milliseconds: thousands of lines a second then cost ten changes. */
const CHANGE_INTERVAL_MS = 100;

/** Calls a function with the next frame of the screen after an interval. Hidden pages have no frames. */
export function atNextChange(show: () => void): void {
  setTimeout(() => requestAnimationFrame(show), CHANGE_INTERVAL_MS);
}
