import type {KillPoint} from './strace.ts';

/** A system call as a trace tells of it. */
export interface TracedCall {
  readonly thread: string;
  readonly call: string;
  /** Everything behind the opening bracket, as far as it stands on the first line of the call. */
  readonly rest: string;
}

const LINE = /^(\d+) +\S+ (\w+)\((.*)$/;

/** Reads the calls of a trace, in the order in which they began. */
export function readCalls(trace: string): readonly TracedCall[] {
  return trace.split('\n').flatMap(line => {
    const [, thread, call, rest] = LINE.exec(line) ?? [];
    return thread === undefined || call === undefined || rest === undefined ? [] : [{thread, call, rest}];
  });
}

/** The calls on a directory and all that is in it. */
export function callsOn(directory: string, calls: readonly TracedCall[]): readonly TracedCall[] {
  return calls.filter(({rest}) => pathsIn(rest, directory).length > 0);
}

/** Every file and directory under a directory, it included, that a call was made on. */
export function tracedPaths(directory: string, calls: readonly TracedCall[]): readonly string[] {
  return [...new Set(calls.flatMap(({rest}) => pathsIn(rest, directory)))];
}

/**
 * Every place to kill at so that each of these calls is the last one that did not happen. Threads count for themselves, so
 * of two threads that make one call the busier one decides how far the count goes.
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

/** Paths stand in quotes, or behind the number of an open file. */
function pathsIn(text: string, directory: string): readonly string[] {
  return Array.from(text.matchAll(/"(\/[^"]*)"|<(\/[^>]*)>/g), ([, quoted, opened]) => quoted ?? opened ?? '').filter(
    path => path === directory || path.startsWith(`${directory}/`),
  );
}
