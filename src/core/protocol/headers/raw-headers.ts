/**
 * Returns all values of a header, in their order.
 *
 * @param rawHeaders Alternating names and values.
 * @param name In lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  let values: string[] | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? '';
    // Most names differ in length already; only the rest are worth lower-casing.
    if (candidate.length === name.length && candidate.toLowerCase() === name) {
      values ??= [];
      values.push(rawHeaders[index + 1] ?? '');
    }
  }
  return values ?? NO_VALUES;
}

const NO_VALUES: readonly string[] = [];

/** Iterates over raw headers as pairs. Creates an object for each: use {@link headerValues} in code that runs for each request. */
export function* headerPairs(rawHeaders: readonly string[]): Generator<readonly [name: string, value: string]> {
  for (let index = 0; index < rawHeaders.length; index += 2)
    yield [rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''];
}
