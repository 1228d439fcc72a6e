import {pageMarks} from '../service/page-marks.ts';

/** Name with which the service marks a console that a page of its own origin opened. */
const OWN_PAGE = 'opened-by-own-page';

/**
 * Returns whether a page of this origin opened this one, as the service saw it by the headers of the browser. Otherwise a page of another site may
 * have chosen the fragment of the address, which names the plugin to show: browsers send the same for it and for an address that the user typed.
 */
export function wasOpenedByOwnPage(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // A browser that goes back may take the page, with an older mark, out of its cache.
  if (navigation === undefined || navigation.type === 'back_forward') return false;
  return pageMarks().some(({name}) => name === OWN_PAGE);
}

/** Returns whether this tab has shown the page of a plugin before. */
export function wasShown(id: string): boolean {
  try {
    return sessionStorage.getItem(keyOf(id)) !== null;
  } catch {
    // Browsers that keep nothing throw.
    return false;
  }
}

/** Remembers until the tab is closed that it has shown the page of a plugin. */
export function rememberShown(id: string): void {
  try {
    sessionStorage.setItem(keyOf(id), '');
  } catch {
    // The console asks again after a reload.
  }
}

function keyOf(id: string): string {
  return `crewroom-shown ${id}`;
}
