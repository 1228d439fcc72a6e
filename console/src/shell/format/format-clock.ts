/** Formats a time of day with 24 hours, in the user's time zone. @param timeMs Milliseconds since the Unix epoch. */
export function formatClock(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString([], {hourCycle: 'h23'});
}

/** Formats a date and a time, in the user's time zone: the one form of all pages. @param time RFC 3339, or milliseconds since the Unix epoch. */
export function formatMoment(time: string | number): string {
  const date = new Date(time);
  return `${date.toLocaleDateString([], {dateStyle: 'medium'})}, ${formatClock(date.getTime())}`;
}
