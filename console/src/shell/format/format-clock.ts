/** Made once: to make one takes a hundred times as long as to use it, and a page may have a thousand new times a second. */
const CLOCK = new Intl.DateTimeFormat([], {timeStyle: 'medium', hourCycle: 'h23'});
const DAY = new Intl.DateTimeFormat([], {dateStyle: 'medium'});

/** Formats a time of day with 24 hours, in the user's time zone. @param timeMs Milliseconds since the Unix epoch. */
export function formatClock(timeMs: number): string {
  return CLOCK.format(timeMs);
}

/** Formats a date and a time, in the user's time zone: the one form of all pages. @param time RFC 3339, or milliseconds since the Unix epoch. */
export function formatMoment(time: string | number): string {
  const date = new Date(time);
  return `${DAY.format(date)}, ${CLOCK.format(date)}`;
}
