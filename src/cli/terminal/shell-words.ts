/** A word as one may type it in a shell, with quotes where it needs them. */
export function quoteWord(word: string, platform: NodeJS.Platform): string {
  if (/^[A-Za-z0-9_./:@%+=,-]+$/.test(word)) return word;
  if (platform === 'win32') return `"${word.replaceAll('"', '\\"')}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
