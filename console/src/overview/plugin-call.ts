/**
 * Returns whether a request is one that plugins make: for the identity, for entries, or to a route of a plugin. Our own commands ask other things.
 *
 * @param path With its query.
 * @param ids Those of the plugins.
 */
export function isPluginCall(path: string, ids: readonly string[]): boolean {
  const [, name = '', sub] = /^\/api\/([^/?]+)(\/[^/?]+)?/.exec(path) ?? [];
  return sub === undefined ? name === 'identity' || name === 'keys' : name === 'store' || ids.includes(name);
}
