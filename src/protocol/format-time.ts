const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The day that was written last: of many times most are of the same one. */
let written = {day: Number.NaN, text: ''};

/**
 * Writes a time as RFC 3339 in UTC with milliseconds, as `Date.prototype.toISOString` does, in a fraction of its time: of a
 * small answer that would be a twentieth, of a listing more than all the rest.
 *
 * @param timeMs In milliseconds since the Unix epoch.
 * @throws {RangeError} Where it is none that a `Date` can be.
 */
export function formatTime(timeMs: number): string {
  const day = Math.floor(timeMs / DAY_MS);
  if (day !== written.day) written = {day, text: new Date(day * DAY_MS).toISOString().replace(/T.*/, 'T')};
  const restMs = Math.trunc(timeMs - day * DAY_MS);
  const hours = digits(2, Math.floor(restMs / HOUR_MS));
  const minutes = digits(2, Math.floor(restMs / MINUTE_MS) % 60);
  const seconds = digits(2, Math.floor(restMs / SECOND_MS) % 60);
  return `${written.text}${hours}:${minutes}:${seconds}.${digits(3, restMs % SECOND_MS)}Z`;
}

const TWO_DIGITS = numbersOf(2);
const THREE_DIGITS = numbersOf(3);

function digits(count: 2 | 3, value: number): string {
  return (count === 2 ? TWO_DIGITS : THREE_DIGITS)[value] ?? '';
}

/** All numbers of so many digits, with the zeros in front. */
function numbersOf(count: number): readonly string[] {
  return Array.from({length: 10 ** count}, (_, value) => String(value).padStart(count, '0'));
}
