/** Members of a parsed JSON object. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** Returns whether a parsed document is an object: neither an array nor `null`. */
export function isObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the members of an object; none of any other value. */
export function membersOf(value: unknown): JsonMembers {
  return isObject(value) ? value : {};
}
