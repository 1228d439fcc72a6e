/** Shortest time between two screen changes, in milliseconds: thousands of lines a second then cost five changes. */
const CHANGE_INTERVAL_MS = 200;

/** Calls a function with the next frame of the screen after an interval. Hidden pages have no frames. */
export function atNextChange(show: () => void): void {
  setTimeout(() => requestAnimationFrame(show), CHANGE_INTERVAL_MS);
}
