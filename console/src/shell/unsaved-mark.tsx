import {formatRoute, type Route} from '../route.ts';
import type {Drafts} from '../state/drafts.ts';

/** Marks a link to a view in which, or below which, something is typed and not saved. */
export function UnsavedMark({drafts, to}: {readonly drafts: Drafts; readonly to: Route}) {
  const view = formatRoute(to);
  if (!drafts.unsaved.value.some(each => `${each}/`.startsWith(`${view}/`))) return null;
  return (
    <span class="unsaved" title="Not saved">
      ✱<span class="hidden"> not saved</span>
    </span>
  );
}
