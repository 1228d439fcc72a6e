/** Formats the location of a part of a document as a JSONPath (RFC 9535). */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => text + formatSegment(part), '$');
}

/** Formats the last step to a part: an index, or a name, in brackets if it is not allowed after a dot (RFC 9535 section 2.5.1). */
export function formatSegment(part: PropertyKey): string {
  if (typeof part === 'number') return `[${part}]`;
  const name = String(part);
  return /^[a-z_]\w*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
