/** Characters that no shell treats in a special way within a word. */
const PLAIN = {windows: /^[\w@%+:,.\\/-]+$/, other: /^[\w@%+=:,./-]+$/};

/** Writes an argument as the shell of the user reads it back: in single quotes, on Windows in double ones, which `cmd` and PowerShell both know. */
function quoteArgument(text: string, platform: string): string {
  if (platform === 'win32') return PLAIN.windows.test(text) ? text : `"${text}"`;
  return PLAIN.other.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Formats the command line that restores a snapshot, with flags that name the service and its directories. */
export function formatUndo(name: string, flags: readonly string[], platform: string): string {
  return ['crewroom', 'snapshot', 'load', name, ...flags].map(word => quoteArgument(word, platform)).join(' ');
}
