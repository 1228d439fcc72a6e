import {AppError} from '../../../failures/app-error.ts';
import {ABSENT, type Driver, type GuardedWrite, OPERATIONS_MAX, type StoredValue} from './driver.ts';
import {HEAD_KEY, STAGES, stageKey} from './engine-keys.ts';
import {type Head, type KnownHead, replaceHead, writtenHead} from './head.ts';

/**
 * Largest request to an engine, in bytes. Above 10 MiB, etcd before 3.6 acknowledges a request and then cannot start any more.
 */
export const REQUEST_BYTES_MAX = 8 * 1024 * 1024;

/** Space in a request for everything but keys and values, in bytes: some for each operation, and the head. */
const OPERATION_BYTES = 32;
const HEAD_BYTES = 4096;

/** Largest value, in bytes: a part of a group has it as a whole, with its key, the header of its record, and the head. */
export const STORED_VALUE_BYTES_MAX = REQUEST_BYTES_MAX - 2 * HEAD_BYTES;

/** Operations in a request besides those of the group or of its part: the head, and what is trimmed and cleared. */
const OTHER_OPERATIONS = 100;

/** Maximum number of puts and removals in a request. */
export const GROUP_OPERATIONS_MAX = OPERATIONS_MAX - OTHER_OPERATIONS;

/** Size at which a part of a staged group ends, in bytes; one value may exceed it. */
const PART_BYTES = 2 * 1024 * 1024;

/** Writes of a group besides the head. */
export type GroupWrites = Pick<GuardedWrite, 'puts' | 'removes' | 'removedRanges' | 'usesReserve'>;

/** Writes of a part of a large group. */
type PartWrites = Pick<GroupWrites, 'puts' | 'removes'>;

/** No writes besides the head, which takes hardly any space. */
export const HEAD_ONLY: GroupWrites = {puts: [], removes: [], removedRanges: [], usesReserve: true};

/** Returns whether the writes of a group fit into one request. */
export function fitsRequest(writes: GroupWrites): boolean {
  const operations = writes.puts.length + writes.removes.length;
  return operations <= GROUP_OPERATIONS_MAX && HEAD_BYTES + sizeOfWrites(writes) <= REQUEST_BYTES_MAX;
}

/**
 * Writes a group that is too large for one request into parts beside the entries. They have no effect until a head refers to them;
 * from then on the group is committed, and the first process that reads that head calls {@link moveStaged}. If another head comes
 * first, the parts are of no use any more: the next small group removes them, or the last move of a large one.
 *
 * @param options.beforePart Called before each part. Throws if the parts are no longer needed.
 * @returns The number of parts.
 */
export async function writeStage(
  driver: Driver,
  writes: GroupWrites,
  {id, beforePart}: {readonly id: string; readonly beforePart: () => void},
): Promise<number> {
  const parts = splitIntoParts(writes);
  for (const [index, part] of parts.entries()) {
    beforePart();
    // A conflict: an earlier attempt was written, although it was not answered.
    const guard = {key: stageKey(id, index), version: ABSENT};
    const {usesReserve} = writes;
    await driver.compareAndWrite({
      ...guard,
      value: encodePart(part),
      puts: [],
      removes: [],
      removedRanges: [],
      usesReserve,
    });
  }
  return parts.length;
}

/**
 * Moves the parts of a committed group to their places. Idempotent, also if several processes do so at once.
 *
 * @returns The head after that, or one that another process wrote meanwhile; undefined if the head is gone.
 * @throws {AppError} `store-corrupt` if a part is missing.
 */
export async function moveStaged(driver: Driver, start: KnownHead): Promise<KnownHead | StoredValue | undefined> {
  let known = start;
  while (known.head.staged !== undefined) {
    const {id, parts, done} = known.head.staged;
    const [found, part] = await driver.read([HEAD_KEY, stageKey(id, done)]);
    // Another process has moved it since.
    if (found?.version !== known.version) return found;
    if (part === undefined) throw new AppError({code: 'store-corrupt'});
    const isLast = done + 1 === parts;
    const next: Head = {...known.head, staged: isLast ? undefined : {id, parts, done: done + 1}};
    // The group is committed: it must not wait for space.
    const guard = {...replaceHead(known, next), usesReserve: true};
    const removedRanges = isLast ? [STAGES] : [];
    const answer = await driver.compareAndWrite({...guard, ...decodePart(part.value), removedRanges});
    if (answer.kind === 'conflict') return answer.found;
    known = writtenHead(next, answer.version);
  }
  return known;
}

function sizeOfWrites({puts, removes, removedRanges}: GroupWrites): number {
  let bytes = OPERATION_BYTES * (puts.length + removes.length + removedRanges.length);
  for (const [key, value] of puts) bytes += 3 * key.length + value.length;
  for (const key of removes) bytes += 3 * key.length;
  return bytes;
}

function splitIntoParts({puts, removes}: PartWrites): readonly PartWrites[] {
  const parts: {puts: GuardedWrite['puts'][number][]; removes: string[]}[] = [];
  let bytes = Infinity;
  let operations = 0;
  const grow = (sizeBytes: number): (typeof parts)[number] => {
    if (bytes >= PART_BYTES || operations >= GROUP_OPERATIONS_MAX) {
      parts.push({puts: [], removes: []});
      bytes = 0;
      operations = 0;
    }
    bytes += sizeBytes;
    operations++;
    return parts.at(-1) as (typeof parts)[number];
  };
  for (const key of removes) grow(key.length).removes.push(key);
  for (const put of puts) grow(put[0].length + put[1].length).puts.push(put);
  return parts;
}

/** A part: four bytes of the length of a JSON text with keys and sizes, the text, and the values one after the other. */
function encodePart({puts, removes}: PartWrites): Buffer {
  const text = Buffer.from(JSON.stringify({puts: puts.map(([key, value]) => [key, value.length]), removes}));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...puts.map(([, value]) => value)]);
}

function decodePart(record: Buffer): PartWrites {
  const textEnd = 4 + record.readUInt32BE();
  const {puts, removes} = JSON.parse(record.toString('utf8', 4, textEnd)) as {
    readonly puts: readonly (readonly [key: string, sizeBytes: number])[];
  } & Pick<PartWrites, 'removes'>;
  let at = textEnd;
  return {
    puts: puts.map(([key, sizeBytes]) => {
      at += sizeBytes;
      return [key, record.subarray(at - sizeBytes, at)];
    }),
    removes,
  };
}
