/** Returns whether a function takes a value, rather than throwing. */
export function accepts<T>(parse: (value: T) => unknown, value: T): boolean {
  try {
    parse(value);
    return true;
  } catch {
    return false;
  }
}
