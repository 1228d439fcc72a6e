/** A view of the console: the fragment of its address. */
export type Route =
  | {readonly view: 'home' | 'unknown'}
  | {readonly view: Exclude<ServicePage, 'entries' | 'requests'>}
  /** The list of entries, all or those under a prefix, or one entry. */
  | {readonly view: 'entries'; readonly key?: string; readonly prefix?: string}
  /** The list of requests, all, those of a plugin, or those for a key. */
  | {readonly view: 'requests'; readonly plugin?: string; readonly key?: string}
  | {readonly view: 'notifications' | 'settings'}
  | {readonly view: 'plugin'; readonly id: string; readonly tab: PluginTab};

/** Pages about the service, in the order of the menu. */
export const SERVICE_PAGES = ['identity', 'entries', 'events', 'requests', 'plugins', 'flight', 'faults'] as const;

/** A page about the service. */
export type ServicePage = (typeof SERVICE_PAGES)[number];

/** Views of a plugin. */
export type PluginTab = (typeof PLUGIN_TABS)[number];

const PLUGIN_TABS = ['page', 'settings', 'log'] as const;

/** Names of the views of a plugin. */
export const TAB_NAMES: Readonly<Record<PluginTab, string>> = {page: 'Page', settings: 'Settings', log: 'Log'};

/** Reads a fragment, such as `#/plugins/com.example.hello/log`. None is that of the home view. */
export function readRoute(fragment: string): Route {
  const chosen = readChoice(fragment);
  if (chosen !== undefined) return chosen;
  const [first, id, tab = 'page', ...more] = fragment.replace(/^#\/?/, '').split('/').map(decode);
  if ((first === 'settings' || first === 'notifications') && id === undefined) return {view: first};
  const page = SERVICE_PAGES.find(each => each === first);
  if (page !== undefined && id === undefined) return {view: page};
  if (page === 'entries' && id !== '' && fragment.split('/').length === 3) return {view: page, key: id ?? ''};
  const known = PLUGIN_TABS.find(each => each === tab);
  if (first === 'plugins' && id !== undefined && id !== '' && known !== undefined && more.length === 0)
    return {view: 'plugin', id, tab: known};
  // `crewroom play` opens the home view, with the first steps.
  return {view: /^#?\/?(play)?$/.test(fragment) ? 'home' : 'unknown'};
}

/** Formats the fragment of a route. */
export function formatRoute(route: Route): string {
  switch (route.view) {
    case 'home':
      return '#/';
    case 'plugin':
      return `#/plugins/${encodeURIComponent(route.id)}${route.tab === 'page' ? '' : `/${route.tab}`}`;
    case 'entries':
      return route.key === undefined
        ? `#/entries${formatChoice({prefix: route.prefix})}`
        : `#/entries/${encodeURIComponent(route.key)}`;
    case 'requests':
      return `#/requests${formatChoice({plugin: route.plugin, key: route.key})}`;
    default:
      return `#/${route.view}`;
  }
}

/** Reads a fragment that chooses a part of a list, such as `#/entries?prefix=com.example.hello%2F`. */
function readChoice(fragment: string): Route | undefined {
  const [, view, query] = /^#\/?(entries|requests)\?(.*)$/s.exec(fragment) ?? [];
  const parameters = new URLSearchParams(query);
  const read = <N extends string>(name: N): {readonly [each in N]?: string} => {
    const value = parameters.get(name);
    return value === null ? {} : ({[name]: value} as {readonly [each in N]: string});
  };
  if (view === 'entries') return {view, ...read('prefix')};
  return view === 'requests' ? {view, ...read('plugin'), ...read('key')} : undefined;
}

function formatChoice(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
