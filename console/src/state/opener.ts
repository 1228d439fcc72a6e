/** Name of the metric with which the service marks a page that another site opened. */
const OTHER_SITE = 'opened-by-other-site';

/**
 * Returns whether a page of another site opened this one, as the service saw it by the headers of the browser. Such a page chose the
 * fragment of the address too, which names the plugin to show.
 */
export function wasOpenedByOtherSite(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // Firefox has no Server Timing without https, except at names of this machine. What opened the page is unknown there.
  const metrics: readonly PerformanceServerTiming[] | undefined = navigation?.serverTiming;
  return metrics?.some(({name}) => name === OTHER_SITE) ?? true;
}
