/** Something that a check of a plugin found. */
export interface PluginFinding {
  /** A problem keeps the plugin from running or from being published; a warning may be intended. */
  readonly level: 'problem' | 'warning';
  /** File in the folder of the plugin, with slashes; absent if it concerns the folder. */
  readonly file?: string | undefined;
  /** Line in the file, from 1. */
  readonly line?: number | undefined;
  /** Begins with a verb: the file, or the plugin, is the subject. */
  readonly problem: string;
  /** The way out, if the problem does not have it. */
  readonly advice?: string | undefined;
}

/** A file of a plugin whose text is checked. */
export interface TextFile {
  /** In the folder of the plugin, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Returns a function from positions in a text to their lines, from 1. The positions have to be in order. */
export function countLines(text: string): (position: number) => number {
  let line = 1;
  let at = text.indexOf('\n');
  return position => {
    for (; at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
    return line;
  };
}

/** Copies a text. Node keeps the whole text of a file for a part of it, which may be a few characters of some MiB. */
export function copyPart(text: string): string {
  return Buffer.from(text).toString();
}
