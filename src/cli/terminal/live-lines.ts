import type {CliContext} from './context.ts';

/** Writes messages on stderr, and counts repeated ones in place. */
export type LiveLines = ReturnType<typeof createLiveLines>;

/** Creates a writer for a stream that nothing else writes to meanwhile. */
export function createLiveLines({stderr, environment}: Pick<CliContext, 'stderr' | 'environment'>) {
  const canReplace = stderr.isTerminal && environment['TERM'] !== 'dumb' && stderr.columns !== Infinity;
  let last: Repeatable | undefined;
  /** Writes the count of lines that could not be replaced. */
  const finish = (): void => {
    if (last !== undefined && last.hidden > 0) void stderr.write(`  ×${last.times}\n`);
    last = undefined;
  };
  return {
    /** Writes a text of whole lines. */
    print: (text: string): void => {
      finish();
      void stderr.write(text);
    },
    /**
     * Writes whole lines that may occur again and again. If the last ones were the same, they are replaced.
     *
     * @param key Lines of the same key are the same.
     * @param format Formats the lines, none of which is wider than the terminal; `times` counts them.
     */
    printRepeatable: (key: string, format: (times: number) => string): void => {
      const {columns} = stderr;
      if (last === undefined || last.key !== key) {
        finish();
        const text = format(1);
        last = {key, times: 1, hidden: 0, lines: countLines(text), columns};
        void stderr.write(text);
        return;
      }
      last.times++;
      // Lines of another width may have been wrapped since.
      if (!canReplace || last.columns !== columns) last.hidden++;
      else void stderr.write(`${eraseLines(last.lines)}${format(last.times)}`);
    },
  };
}

interface Repeatable {
  readonly key: string;
  readonly lines: number;
  readonly columns: number;
  times: number;
  /** Number of times that were counted without a change of the terminal. */
  hidden: number;
}

/** Returns to the beginning of the line some lines above, and erases everything below (ECMA-48: CPL, ED). */
function eraseLines(count: number): string {
  return `\u001b[${count}F\u001b[J`;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
