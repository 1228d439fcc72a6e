/** Decodes a part of an address. @returns The part itself if it is not percent-encoded UTF-8. */
export function decodeIfEncoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
