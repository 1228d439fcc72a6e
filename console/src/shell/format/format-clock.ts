/** Formats a time of day with 24 hours, in the time zone of the user. @param timeMs Milliseconds since the Unix epoch. */
export function formatClock(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString([], {hourCycle: 'h23'});
}
