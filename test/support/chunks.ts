/** Cuts bytes into chunks of the given sizes, as a stream may. */
export function* cut(bytes: Uint8Array, sizes: Iterator<number>): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const size: number = sizes.next().value;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
