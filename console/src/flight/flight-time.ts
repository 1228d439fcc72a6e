/** Formats a time of a flight with its units, such as `30 s`, `1 min 30 s`, `20 min` or `1 h 20 min`. */
export function formatFlightTime(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds % 60), 's'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.length === 0 ? '0 min' : shown.join(' ');
}

/** Formats a time of a flight for an axis, where there is little place, such as `30 s`, `1:30 min` or `1:20 h`. */
export function formatTimeLabel(seconds: number): string {
  const [unit, parts] = seconds < 3600 ? (['min', 60] as const) : (['h', 3600] as const);
  const [whole, rest] = [Math.floor(seconds / parts), Math.floor((seconds % parts) / (parts / 60))];
  return whole === 0 || rest === 0 ? formatFlightTime(seconds) : `${whole}:${String(rest).padStart(2, '0')} ${unit}`;
}
