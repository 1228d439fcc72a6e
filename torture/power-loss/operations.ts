/** An operation of a traced process: on files and directories, or bytes that it sent. */
export type Operation = Timed &
  (
    | {
        readonly kind: 'write';
        readonly path: string;
        readonly offset: number;
        readonly bytes: Buffer;
        /**
         * True if the file was opened for synchronous writes, so that the bytes are on the disk when the call returns.
         */
        readonly isSync: boolean;
      }
    | {readonly kind: 'truncate'; readonly path: string; readonly sizeBytes: number}
    | {readonly kind: 'create'; readonly path: string; readonly empties: boolean}
    | {readonly kind: 'make-directory'; readonly path: string}
    | {readonly kind: 'rename'; readonly from: string; readonly path: string}
    | {readonly kind: 'unlink'; readonly path: string}
    | {readonly kind: 'sync'; readonly path: string}
    /** Bytes sent to another process. */
    | {readonly kind: 'tell'; readonly text: string}
  );

/** Start and end of a call, as line numbers of the trace. A call without an end ends at infinity. */
export interface Timed {
  readonly begin: number;
  readonly end: number;
}

/** Names of the system calls to trace, with all their bytes. */
export const TRACED_CALLS: readonly string[] = [
  ...['openat', 'open', 'lseek', 'write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'sendto', 'sendmsg'],
  ...['ftruncate', 'fallocate', 'mkdir', 'mkdirat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat'],
  ...['link', 'linkat', 'fsync', 'fdatasync', 'msync', 'sync_file_range', 'copy_file_range'],
];

/** A call, joined from two lines if others came in between. */
interface Call extends Timed {
  readonly name: string;
  readonly args: string;
  /** Return value; undefined if it did not return. */
  readonly result: string | undefined;
}

/** Reads the operations of a process and its threads from the lines of `strace -f -tt -yy`. */
export function readOperations(trace: string): readonly Operation[] {
  const reader = new OperationReader();
  return readCalls(trace).flatMap(call => reader.read(call) ?? []);
}

const LINE = /^(\d+) +\S+ (.*)$/;
const UNFINISHED = ' <unfinished ...>';

function readCalls(trace: string): readonly Call[] {
  const calls: Call[] = [];
  const begun = new Map<string, {readonly text: string; readonly index: number}>();
  const add = (text: string, timed: Timed): void => {
    const [, name, rest] = /^(\w+)\((.*)$/s.exec(text) ?? [];
    if (name === undefined || rest === undefined) return;
    const [, args = rest, result] = /^(.*)\)\s+= (.*)$/s.exec(rest) ?? [];
    calls.push({name, args, result, ...timed});
  };
  for (const [index, line] of trace.split('\n').entries()) {
    const [, thread, text] = LINE.exec(line) ?? [];
    if (thread === undefined || text === undefined) continue;
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    const before = begun.get(thread);
    if (text.endsWith(UNFINISHED)) begun.set(thread, {text: text.slice(0, -UNFINISHED.length), index});
    else if (resumed !== undefined && before !== undefined) {
      begun.delete(thread);
      add(before.text + resumed, {begin: before.index, end: index});
    } else add(text, {begin: index, end: index});
  }
  for (const {text, index} of begun.values()) add(text, {begin: index, end: Infinity});
  return calls.sort((a, b) => a.begin - b.begin);
}

/** State of an open file. */
interface OpenFile {
  readonly isSync: boolean;
  position: number;
}

/** Files have positions, so the effect of a call depends on earlier ones. */
class OperationReader {
  readonly #open = new Map<string, OpenFile>();

  read(call: Call): Operation | readonly Operation[] | undefined {
    const {name, args, result, begin, end} = call;
    if (result?.startsWith('-1')) return undefined;
    const timed = {begin, end: result === undefined || result.startsWith('?') ? Infinity : end};
    switch (name) {
      case 'openat':
      case 'open':
        return this.#readOpen(call, timed);
      case 'lseek':
        this.#fileOf(args).position = Number(result);
        return undefined;
      case 'write':
      case 'writev':
      case 'sendto':
      case 'sendmsg':
        return this.#readWrite(call, timed);
      case 'pwrite64':
      case 'pwritev':
        return this.#readWriteAt(call, timed, Number(lastArgument(args)));
      case 'ftruncate':
        return {kind: 'truncate', path: openedPath(args), sizeBytes: Number(lastArgument(args)), ...timed};
      case 'mkdir':
      case 'mkdirat':
        return {kind: 'make-directory', path: quotedPaths(args)[0] ?? '', ...timed};
      case 'rename':
      case 'renameat':
      case 'renameat2': {
        const [from = '', path = ''] = quotedPaths(args);
        return {kind: 'rename', from, path, ...timed};
      }
      case 'unlink':
      case 'unlinkat':
        return {kind: 'unlink', path: quotedPaths(args)[0] ?? '', ...timed};
      case 'fsync':
      case 'fdatasync':
        return {kind: 'sync', path: openedPath(args), ...timed};
      default:
        throw new Error(`Unknown effect on the disk: ${name}(${args.slice(0, 200)})`);
    }
  }

  #readOpen({args, result}: Call, timed: Timed): Operation | undefined {
    const flags = args.slice(args.lastIndexOf('"') + 1);
    const number = /^\d+/.exec(result ?? '')?.[0];
    if (number === undefined) return undefined;
    this.#open.set(number, {isSync: /O_D?SYNC/.test(flags), position: 0});
    if (!flags.includes('O_CREAT')) return undefined;
    return {kind: 'create', path: quotedPaths(args)[0] ?? '', empties: flags.includes('O_TRUNC'), ...timed};
  }

  #readWrite({args, result}: Call, timed: Timed): Operation {
    const bytes = readBytes(args);
    const path = openedPath(args);
    if (!path.startsWith('/')) return {kind: 'tell', text: bytes.toString('latin1'), ...timed};
    const file = this.#fileOf(args);
    const offset = file.position;
    file.position += Number(result ?? bytes.length);
    return {kind: 'write', path, offset, bytes: cut(bytes, result), isSync: file.isSync, ...timed};
  }

  #readWriteAt({args, result}: Call, timed: Timed, offset: number): Operation {
    const bytes = cut(readBytes(args), result);
    return {kind: 'write', path: openedPath(args), offset, bytes, isSync: this.#fileOf(args).isSync, ...timed};
  }

  #fileOf(args: string): OpenFile {
    const number = /^\d+/.exec(args)?.[0] ?? '';
    const known = this.#open.get(number) ?? {isSync: false, position: 0};
    this.#open.set(number, known);
    return known;
  }
}

/** A call may write less than requested. */
function cut(bytes: Buffer, result: string | undefined): Buffer {
  return result === undefined || result.startsWith('?') ? bytes : bytes.subarray(0, Number(result));
}

/**
 * Returns the file behind the number with which an argument begins, such as `22</data/store>`; for a socket its
 * description.
 */
function openedPath(args: string): string {
  return /^\d+<(.*?)>/.exec(args)?.[1] ?? '';
}

function quotedPaths(args: string): readonly string[] {
  return Array.from(args.matchAll(QUOTED), ([, text = '']) => decodeText(text).toString());
}

function lastArgument(args: string): string {
  return args.slice(args.lastIndexOf(',') + 1).trim();
}

const QUOTED = /"((?:[^"\\]|\\.)*)"(\.\.\.)?/g;

function readBytes(args: string): Buffer {
  const parts = Array.from(args.matchAll(QUOTED), ([, text = '', isCut]) => {
    if (isCut !== undefined) throw new Error('The trace does not contain all bytes that were written');
    return decodeText(text);
  });
  return Buffer.concat(parts);
}

const ESCAPES: Readonly<Record<string, string>> = {n: '\n', t: '\t', r: '\r', v: '\v', f: '\f'};

/** Decodes a string of the trace, which is escaped as in C. */
function decodeText(text: string): Buffer {
  const bytes = text.replace(/\\([0-7]{1,3}|.)/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
  );
  return Buffer.from(bytes, 'latin1');
}
