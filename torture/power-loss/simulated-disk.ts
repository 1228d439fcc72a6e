import {dirname} from 'node:path';
import type {Operation} from './operations.ts';

/** What may have become of an operation that was not synced when the power went. */
export type Fate = 'kept' | 'lost' | 'torn';

/** Decides it. */
export type Choose = (operation: Operation) => Fate;

/** Files and directories as they are found after a loss of power: the content of each file, undefined for a directory. */
export type Image = ReadonlyMap<string, Buffer | undefined>;

/** Disks write whole sectors; of a write that is torn some are new and some are old. */
const SECTOR_BYTES = 512;

/**
 * The disk after a loss of power, by no more than what POSIX promises: a write is on it when a sync of its file began after the
 * write and ended before the loss; a name, when a sync of its directory did; everything else may be, or in parts, or not.
 *
 * @param directory Everything above it was there before.
 * @param at The line of the trace before which the power goes.
 */
export function imageAt(
  operations: readonly Operation[],
  {directory, at, choose}: {readonly directory: string; readonly at: number; readonly choose: Choose},
): Image {
  const syncs = operations.filter(operation => operation.kind === 'sync' && operation.end < at);
  const fileOf = fileNamer();
  const image = new Map<string, Buffer | undefined>([[directory, undefined]]);
  const files = new Map<number, Buffer>();
  const names = new Map<string, number>();
  for (const operation of operations) {
    if (operation.begin >= at) break;
    if (operation.kind === 'tell' || operation.kind === 'sync' || !isInside(operation.path, directory)) continue;
    const file = fileOf(operation);
    const fate = isDurable(operation, {syncs, at}) ? 'kept' : choose(operation);
    if (operation.kind === 'write') files.set(file, write(files.get(file), operation, fate));
    else if (fate === 'kept') applyName(operation, {file, files, names});
  }
  for (const [path, file] of names)
    if (isReachable(path, names, directory))
      image.set(path, file === DIRECTORY ? undefined : (files.get(file) ?? Buffer.alloc(0)));
  return image;
}

/** Instead of the number of a file. */
const DIRECTORY = -1;

type Named = Exclude<Operation, {kind: 'tell' | 'sync' | 'write'}>;

interface Names {
  readonly file: number;
  readonly files: Map<number, Buffer>;
  readonly names: Map<string, number>;
}

function applyName(operation: Named, {file, files, names}: Names): void {
  const {kind, path} = operation;
  if (kind === 'make-directory') names.set(path, DIRECTORY);
  else if (kind === 'unlink') names.delete(path);
  else if (kind === 'create') {
    names.set(path, file);
    if (operation.empties) files.set(file, Buffer.alloc(0));
  } else if (kind === 'truncate') files.set(file, resize(files.get(file), operation.sizeBytes));
  else {
    const moved = names.get(operation.from);
    names.delete(operation.from);
    if (moved !== undefined) names.set(path, moved);
  }
}

/** Tells files apart by number: a name may be given to another one. */
function fileNamer(): (operation: Operation) => number {
  const numbers = new Map<string, number>();
  let count = 0;
  return operation => {
    if (!('path' in operation)) return DIRECTORY;
    const {kind, path} = operation;
    if (kind === 'rename') numbers.set(path, numbers.get(operation.from) ?? ++count);
    if (kind === 'rename') numbers.delete(operation.from);
    const known = numbers.get(path) ?? ++count;
    numbers.set(path, known);
    if (kind === 'unlink') numbers.delete(path);
    return known;
  };
}

function isDurable(
  operation: Operation & {readonly path: string},
  {syncs, at}: {readonly syncs: readonly Operation[]; readonly at: number},
): boolean {
  if (operation.end >= at) return false;
  if (operation.kind === 'write' && operation.isSync) return true;
  const place = isOfContent(operation) ? operation.path : dirname(operation.path);
  return syncs.some(sync => sync.kind === 'sync' && sync.path === place && sync.begin > operation.end);
}

/** Whether it is a sync of the file that keeps it; otherwise one of its directory. */
function isOfContent({kind}: Operation): boolean {
  return kind === 'write' || kind === 'truncate';
}

function write(before: Buffer | undefined, {offset, bytes}: Extract<Operation, {kind: 'write'}>, fate: Fate): Buffer {
  const old = before ?? Buffer.alloc(0);
  if (fate === 'lost') return old;
  const content = resize(old, Math.max(old.length, offset + bytes.length));
  const step = fate === 'torn' ? SECTOR_BYTES * 2 : SECTOR_BYTES;
  // Of a torn write every other sector is new.
  for (let start = 0; start < bytes.length; start += step)
    bytes.copy(content, offset + start, start, Math.min(start + SECTOR_BYTES, bytes.length));
  return content;
}

function resize(before: Buffer | undefined, sizeBytes: number): Buffer {
  const content = Buffer.alloc(sizeBytes);
  before?.copy(content, 0, 0, Math.min(before.length, sizeBytes));
  return content;
}

function isReachable(path: string, names: ReadonlyMap<string, number>, directory: string): boolean {
  const parent = dirname(path);
  if (parent === directory) return true;
  return names.get(parent) === DIRECTORY && isReachable(parent, names, directory);
}

function isInside(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}
