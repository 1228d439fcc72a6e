/** Applies a merge patch to parsed values, as the pseudocode of RFC 7396 section 2 does. */
export function mergePlainly(target: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  const result = new Map(isPlainObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePlainly(result.get(name), value));
  }
  return Object.fromEntries(result);
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
