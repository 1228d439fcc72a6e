/** A view of the console: the fragment of its address. */
export type Route =
  | {readonly view: 'home'}
  | {readonly view: 'notifications' | 'settings'}
  | {readonly view: 'plugin'; readonly id: string; readonly tab: PluginTab};

/** Views of a plugin. */
export type PluginTab = (typeof PLUGIN_TABS)[number];

const PLUGIN_TABS = ['page', 'settings', 'log'] as const;

/** Reads a fragment, such as `#/plugins/com.example.hello/log`. An unknown one shows the home view. */
export function readRoute(fragment: string): Route {
  const [first, id, tab = 'page', ...more] = fragment.replace(/^#\/?/, '').split('/').map(decode);
  if ((first === 'settings' || first === 'notifications') && id === undefined) return {view: first};
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
    case 'notifications':
    case 'settings':
      return `#/${route.view}`;
    case 'plugin':
      return `#/plugins/${encodeURIComponent(route.id)}${route.tab === 'page' ? '' : `/${route.tab}`}`;
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
