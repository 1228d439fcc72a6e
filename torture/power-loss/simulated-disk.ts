import {dirname} from 'node:path';
import type {Operation} from './operations.ts';

/** Fate of an operation that was not synced before the power loss. */
export type Fate = 'kept' | 'lost' | 'torn';

/** Chooses that fate. */
export type Choose = (operation: Operation) => Fate;

/** Files and directories after a power loss: the content of each file, undefined for a directory. */
export type Image = ReadonlyMap<string, Buffer | undefined>;

/** Disks write whole sectors; a torn write leaves a mix of new and old ones. */
const SECTOR_BYTES = 512;

/**
 * Returns the disk after a power loss, by the promises of POSIX only: a write is on the disk if a sync of its file
 * began after the write and ended before the loss; a name, if a sync of its directory did. Everything else may be
 * there, partly or not at all.
 *
 * @param directory Everything above it existed before.
 * @param at Line of the trace before which the power fails.
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

/** Identifies a file within the simulation. */
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

/** Distinguishes files by number: a name may be given to another file. */
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

/** Returns whether the operation changes the content of a file, not the entry of a directory. */
function isOfContent({kind}: Operation): boolean {
  return kind === 'write' || kind === 'truncate';
}

function write(before: Buffer | undefined, {offset, bytes}: Extract<Operation, {kind: 'write'}>, fate: Fate): Buffer {
  const old = before ?? Buffer.alloc(0);
  if (fate === 'lost') return old;
  const content = resize(old, Math.max(old.length, offset + bytes.length));
  const step = fate === 'torn' ? SECTOR_BYTES * 2 : SECTOR_BYTES;
  // Every other sector of a torn write is new.
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
