/** The query of a URL, with the question mark; nothing where every parameter is undefined. */
export function formatQuery(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}
