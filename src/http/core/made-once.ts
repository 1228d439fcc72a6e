/**
 * Returns a function that makes a value at its first call, and returns the same one from then on. A failed attempt is repeated
 * at the next call.
 */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch(error => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
