/** Returns the flags that a usage text describes, each at the beginning of a line. */
export function flagsOf(usage: string): readonly string[] {
  return usage.split('\n').flatMap(line => /^ {2}--([a-z-]+) /.exec(line)?.[1] ?? []);
}
