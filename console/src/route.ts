/** A view of the console: the fragment of its address. */
export type Route =
  | {readonly view: 'home'}
  | {readonly view: Exclude<ServicePage, 'entries'>}
  /** The list of entries, or one of them. */
  | {readonly view: 'entries'; readonly key?: string}
  | {readonly view: 'notifications' | 'settings'}
  | {readonly view: 'plugin'; readonly id: string; readonly tab: PluginTab};

/** Pages about the service, in the order of the menu. */
export const SERVICE_PAGES = ['identity', 'entries', 'events', 'requests', 'plugins', 'flight', 'faults'] as const;

/** A page about the service. */
export type ServicePage = (typeof SERVICE_PAGES)[number];

/** Views of a plugin. */
export type PluginTab = (typeof PLUGIN_TABS)[number];

const PLUGIN_TABS = ['page', 'settings', 'log'] as const;

/** Reads a fragment, such as `#/plugins/com.example.hello/log`. An unknown one shows the home view. */
export function readRoute(fragment: string): Route {
  const [first, id, tab = 'page', ...more] = fragment.replace(/^#\/?/, '').split('/').map(decode);
  if ((first === 'settings' || first === 'notifications') && id === undefined) return {view: first};
  const page = SERVICE_PAGES.find(each => each === first);
  if (page !== undefined && id === undefined) return {view: page};
  if (page === 'entries' && id !== '' && fragment.split('/').length === 3) return {view: page, key: id ?? ''};
  const known = PLUGIN_TABS.find(each => each === tab);
  if (first === 'plugins' && id !== undefined && id !== '' && known !== undefined && more.length === 0)
    return {view: 'plugin', id, tab: known};
  return {view: 'home'};
}

/** Formats the fragment of a route. */
export function formatRoute(route: Route): string {
  switch (route.view) {
    case 'home':
      return '#/';
    case 'plugin':
      return `#/plugins/${encodeURIComponent(route.id)}${route.tab === 'page' ? '' : `/${route.tab}`}`;
    case 'entries':
      return route.key === undefined ? '#/entries' : `#/entries/${encodeURIComponent(route.key)}`;
    default:
      return `#/${route.view}`;
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
