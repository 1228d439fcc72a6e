/**
 * Formats a time as `Date.prototype.toISOString` does (RFC 3339, UTC, with milliseconds), but twice as fast: 0.15 instead of
 * 0.35 µs (Node 20), and listings format one or two for each entry.
 *
 * @param timeMs In milliseconds since the Unix epoch.
 * @throws {RangeError} If it is outside the range of `Date`.
 */
export function formatTime(timeMs: number): string {
  const time = new Date(timeMs);
  const year = time.getUTCFullYear();
  // Years outside these have a sign and six digits; times outside the range have no year.
  if (!(year >= 0 && year <= 9999)) return time.toISOString();
  const date = `${twoDigits(Math.floor(year / 100))}${twoDigits(year % 100)}-${twoDigits(time.getUTCMonth() + 1)}-${twoDigits(time.getUTCDate())}`;
  const clock = `${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())}`;
  return `${date}T${clock}.${THREE_DIGITS[time.getUTCMilliseconds()]}Z`;
}

const TWO_DIGITS = numbersOf(2);
const THREE_DIGITS = numbersOf(3);

function twoDigits(value: number): string {
  return TWO_DIGITS[value] ?? '';
}

/** Returns all numbers with this count of digits, padded with zeros. */
function numbersOf(count: number): readonly string[] {
  return Array.from({length: 10 ** count}, (_, value) => String(value).padStart(count, '0'));
}
