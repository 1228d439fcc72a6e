/** Returns a member of anything that a plugin exports; undefined if it has none. */
export function memberOf(value: unknown, name: string): unknown {
  return value === null || value === undefined ? undefined : Reflect.get(Object(value), name);
}
