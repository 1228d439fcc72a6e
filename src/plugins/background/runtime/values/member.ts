/** Returns a member of any value; undefined if the value has no such member. */
export function memberOf(value: unknown, name: string): unknown {
  return value === null || value === undefined ? undefined : Reflect.get(Object(value), name);
}
