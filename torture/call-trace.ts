import type {KillPoint} from './strace.ts';

/** A system call of a trace. */
export interface TracedCall {
  readonly thread: string;
  readonly call: string;
  /** Everything after the opening bracket, as far as the first line of the call shows it. */
  readonly rest: string;
}

const LINE = /^(\d+) +\S+ (\w+)\((.*)$/;

/** Returns the calls of a trace, in the order in which they began. */
export function readCalls(trace: string): readonly TracedCall[] {
  return trace.split('\n').flatMap(line => {
    const [, thread, call, rest] = LINE.exec(line) ?? [];
    return thread === undefined || call === undefined || rest === undefined ? [] : [{thread, call, rest}];
  });
}

/** Returns the calls on a directory and on everything below it. */
export function callsOn(directory: string, calls: readonly TracedCall[]): readonly TracedCall[] {
  return calls.filter(({rest}) => pathsIn(rest, directory).length > 0);
}

/** Returns the directory and all files and directories below it on which a call was made. */
export function tracedPaths(directory: string, calls: readonly TracedCall[]): readonly string[] {
  return [...new Set(calls.flatMap(({rest}) => pathsIn(rest, directory)))];
}

/**
 * Returns the kill points: for each call, the count at which a kill prevents that call. The tracer counts per thread,
 * so if two threads make the same call, the thread with more calls decides how far the count goes.
 */
export function killPointsOf(calls: readonly TracedCall[]): readonly KillPoint[] {
  const counts = new Map<string, Map<string, number>>();
  for (const {thread, call} of calls) {
    const byThread = counts.get(call) ?? new Map<string, number>();
    counts.set(call, byThread.set(thread, (byThread.get(thread) ?? 0) + 1));
  }
  return Array.from(counts).flatMap(([call, byThread]) =>
    Array.from({length: Math.max(...byThread.values())}, (_, index) => ({call, count: index + 1})),
  );
}

/** Paths are in quotes, or follow the number of an open file. */
function pathsIn(text: string, directory: string): readonly string[] {
  return Array.from(text.matchAll(/"(\/[^"]*)"|<(\/[^>]*)>/g), ([, quoted, opened]) => quoted ?? opened ?? '').filter(
    path => path === directory || path.startsWith(`${directory}/`),
  );
}
