/** Formats a number of bytes with binary units, such as `1.5 MiB`. */
export function formatBytes(sizeBytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [size, at] = [sizeBytes, 0];
  while (size >= 1024 && at < units.length - 1) [size, at] = [size / 1024, at + 1];
  return `${at === 0 ? size : formatShort(size)} ${units[at]}`;
}

/** Formats a duration in the largest unit that it fills, such as `3 h 20 min`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.max(0, Math.floor(seconds))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** Formats milliseconds with as many digits as say something. */
export function formatMs(timeMs: number): string {
  return timeMs >= 1000 ? `${formatShort(timeMs / 1000)} s` : `${formatShort(timeMs)} ms`;
}

/** Formats a number with at most three significant digits. */
export function formatShort(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(value < 10 ? 2 : 3)));
}

/** Formats a date and a time to the minute, in the time zone of the user. @param time RFC 3339. */
export function formatMoment(time: string): string {
  const date = new Date(time);
  return `${date.toLocaleDateString([], {dateStyle: 'medium'})}, ${date.toLocaleTimeString([], {timeStyle: 'short', hourCycle: 'h23'})}`;
}
