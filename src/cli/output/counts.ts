/** Formats a number with a comma before every third digit. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Formats a time to the second, such as `2026-11-29T08:15:00Z`. */
export function formatToSecond(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Formats a number of entries, such as `1,000 entries`. */
export function formatEntries(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'entry' : 'entries'}`;
}

/** Formats a number of files, such as `12 files`. */
export function formatFiles(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'file' : 'files'}`;
}
