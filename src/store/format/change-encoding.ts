import type {Revision} from '../../domain/entry.ts';
import type {JsonText} from '../../domain/json-text.ts';
import type {Key} from '../../domain/key.ts';
import type {Change, PutChange} from '../../domain/store.ts';

/**
 * How changes are written one behind the other, in the change log and in the write-ahead log, all numbers big-endian. A change is
 * its kind (1 put, 2 put with its value, 3 delete, 4 expire), six bytes of revision, two of the length of the key, and
 * the key; of a put then follow four bytes of the size of the value and six of the time of expiry (0 for never), and the
 * value where it is kept.
 */
const KINDS = {put: 1, putWithValue: 2, delete: 3, expire: 4} as const;
const NUMBER_BYTES = 6;
const NEVER = 0;

/** What every change has before its key, and what a put has after it, in bytes. */
const CHANGE_BYTES = 1 + NUMBER_BYTES + 2;
const PUT_BYTES = 4 + NUMBER_BYTES;

/** How many bytes some changes have at most. */
export function encodedBytesMax(changes: readonly Change[]): number {
  // A character has at most three bytes for each of its units.
  return changes.reduce(
    (sum, change) => sum + CHANGE_BYTES + PUT_BYTES + 3 * change.key.length + valueBytesOf(change),
    0,
  );
}

/** How many bytes of a value a change carries. */
export function valueBytesOf(change: Change): number {
  return change.kind === 'put' ? (change.json?.length ?? 0) : 0;
}

/** Writes changes into a buffer. @returns Where they end. */
export function encodeChanges(changes: readonly Change[], buffer: Buffer, at: number): number {
  let end = at;
  for (const change of changes) end = writeChange(change, buffer, end);
  return end;
}

/** Reads the changes between two places. Each value has bytes of its own: keeping one keeps no more than it. */
export function readChanges(buffer: Buffer, at: number, end: number): readonly Change[] {
  const changes: Change[] = [];
  for (let next = at; next < end; ) {
    const read = readChange(buffer, next);
    changes.push(read.change);
    next = read.end;
  }
  return changes;
}

function writeChange(change: Change, buffer: Buffer, at: number): number {
  buffer[at] = kindOf(change);
  buffer.writeUIntBE(change.revision, at + 1, NUMBER_BYTES);
  const keyBytes = buffer.write(change.key, at + CHANGE_BYTES);
  buffer.writeUInt16BE(keyBytes, at + 1 + NUMBER_BYTES);
  const keyEnd = at + CHANGE_BYTES + keyBytes;
  return change.kind === 'put' ? writePut(change, buffer, keyEnd) : keyEnd;
}

function writePut({sizeBytes, expiresAtMs = NEVER, json}: PutChange, buffer: Buffer, at: number): number {
  buffer.writeUInt32BE(sizeBytes, at);
  buffer.writeUIntBE(expiresAtMs, at + 4, NUMBER_BYTES);
  if (json === undefined) return at + PUT_BYTES;
  buffer.set(json, at + PUT_BYTES);
  return at + PUT_BYTES + json.length;
}

function kindOf(change: Change): number {
  return change.kind === 'put' && change.json !== undefined ? KINDS.putWithValue : KINDS[change.kind];
}

function readChange(buffer: Buffer, at: number): {readonly change: Change; readonly end: number} {
  const kind = buffer[at];
  const revision: Revision = buffer.readUIntBE(at + 1, NUMBER_BYTES);
  const keyAt = at + CHANGE_BYTES;
  const end = keyAt + buffer.readUInt16BE(at + 1 + NUMBER_BYTES);
  // The key was checked when it was written, and a checksum says that it is the same.
  const key = buffer.toString('utf8', keyAt, end) as Key;
  if (kind === KINDS.delete || kind === KINDS.expire)
    return {change: {kind: kind === KINDS.delete ? 'delete' : 'expire', key, revision}, end};
  const sizeBytes = buffer.readUInt32BE(end);
  const expiresAtMs = buffer.readUIntBE(end + 4, NUMBER_BYTES);
  const valueAt = end + PUT_BYTES;
  const valueEnd = kind === KINDS.putWithValue ? valueAt + sizeBytes : valueAt;
  const change: PutChange = {
    ...{kind: 'put', key, revision, sizeBytes},
    ...(expiresAtMs === NEVER ? {} : {expiresAtMs}),
    ...(kind === KINDS.putWithValue
      ? {json: new Uint8Array(buffer.subarray(valueAt, valueEnd)) as Uint8Array as JsonText}
      : {}),
  };
  return {change, end: valueEnd};
}
