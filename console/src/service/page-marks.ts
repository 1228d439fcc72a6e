/**
 * Returns the marks with which the service sent this page, by their names (Server Timing, W3C). None in Firefox at a name of `--allow-host`, which is
 * without https.
 */
export function pageMarks(): readonly PerformanceServerTiming[] {
  const [navigation] = performance.getEntriesByType('navigation') as readonly Partial<PerformanceNavigationTiming>[];
  return navigation?.serverTiming ?? [];
}
