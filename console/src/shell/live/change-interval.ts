import type {Schedule} from './live-lines.ts';

/** Shortest time between two changes of a list, in milliseconds: thousands of lines a second then cost at most six changes. */
const CHANGE_INTERVAL_MS = 150;

/** Creates a function that calls others with the next frame of the screen, an interval after the last ones at the earliest. Hidden pages have no frames. */
export function createSchedule(): Schedule {
  let lastMs = 0;
  return show => {
    const inFrame = (): number =>
      requestAnimationFrame(nowMs => {
        lastMs = nowMs;
        show();
      });
    setTimeout(inFrame, lastMs + CHANGE_INTERVAL_MS - performance.now());
  };
}
