import type {Route} from '../route.ts';

/** `/openapi.json` and `/docs`. */
export function docsRoutes(_deps: {readonly version: string}): readonly Route[] {
  return [];
}
