import type {Principal} from '../../domain/access/access.ts';
import type {Change, PutChange, RemovalChange} from '../../domain/commits/change.ts';
import {trustStoredKey} from '../../domain/entries/key.ts';
import type {Revision} from '../../domain/entries/revision.ts';
import {trustStoredJson} from '../../json/json-text.ts';
import {NUMBER_BYTES} from './numbers.ts';
import {decodePrincipal, encodePrincipal} from './principal.ts';

/**
 * Encoding of changes, one after the other, in the change log and in the write-ahead log; all numbers big-endian. A change is
 * its kind (1 put, 2 put with its value, 3 delete, 4 expire), six bytes of revision, two of the length of the key, and the key.
 * If the highest bit of the kind is set, one byte with the length of the principal follows, and the principal, as `principal.ts` encodes it.
 * A put continues with four bytes of the size of the value, six of the time of expiry (0 for never), and the value if it is kept.
 */
const KINDS = {put: 1, putWithValue: 2, delete: 3, expire: 4} as const;

/** Bit of the kind of a change that names its principal. */
const WRITTEN_BY = 0x80;
const NEVER = 0;

/** Bytes of every change before its key, and of a put after its key. */
const CHANGE_BYTES = 1 + NUMBER_BYTES + 2;
const PUT_BYTES = 4 + NUMBER_BYTES;

/** Returns the maximum size of some encoded changes, in bytes. */
export function encodedBytesMax(changes: readonly Change[]): number {
  // UTF-8 has at most three bytes for a UTF-16 unit.
  return changes.reduce(
    (sum, change) =>
      sum + CHANGE_BYTES + PUT_BYTES + 3 * change.key.length + principalBytesMax(change) + valueBytesOf(change),
    0,
  );
}

function principalBytesMax({writtenBy}: Change): number {
  return writtenBy === undefined ? 0 : 1 + 3 * writtenBy.length;
}

/** Returns the size of the value that a change carries, in bytes. */
export function valueBytesOf(change: Change): number {
  return change.kind === 'put' ? (change.json?.length ?? 0) : 0;
}

/** Returns the size of the key and the value of a change, in bytes. */
export function volumeOf(change: Change): number {
  // Keys are counted in characters: counting their bytes would cost more than it is worth.
  return change.key.length + valueBytesOf(change);
}

/** Returns the size of the keys and values of changes, in bytes. */
export function volumeOfAll(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + volumeOf(change), 0);
}

/** Writes changes into a buffer. @returns The position after them. */
export function encodeChanges(changes: readonly Change[], buffer: Buffer, at: number): number {
  let end = at;
  for (const change of changes) end = encodeChange(change, buffer, end);
  return end;
}

/** Reads the changes between two positions. Each value is a copy, so that keeping it does not keep the buffer. */
export function decodeChanges(buffer: Buffer, at: number, end: number): readonly Change[] {
  const changes: Change[] = [];
  for (let next = at; next < end; ) {
    const decoded = decodeChange(buffer, next);
    changes.push(decoded.change);
    next = decoded.end;
  }
  return changes;
}

function encodeChange(change: Change, buffer: Buffer, at: number): number {
  buffer[at] = kindOf(change);
  buffer.writeUIntBE(change.revision, at + 1, NUMBER_BYTES);
  const keyBytes = buffer.write(change.key, at + CHANGE_BYTES);
  buffer.writeUInt16BE(keyBytes, at + 1 + NUMBER_BYTES);
  const keyEnd = at + CHANGE_BYTES + keyBytes;
  const end = change.writtenBy === undefined ? keyEnd : encodeWriter(change, buffer, {at, keyEnd});
  return change.kind === 'put' ? encodePut(change, buffer, end) : end;
}

/** Writes the principal of a change behind its key. @returns The position after it. */
function encodeWriter(
  {writtenBy}: Change,
  buffer: Buffer,
  {at, keyEnd}: {readonly at: number; readonly keyEnd: number},
): number {
  const principal = encodePrincipal(writtenBy);
  if (principal === undefined) return keyEnd;
  buffer[at] = (buffer[at] ?? 0) | WRITTEN_BY;
  buffer[keyEnd] = principal.length;
  buffer.set(principal, keyEnd + 1);
  return keyEnd + 1 + principal.length;
}

function encodePut({sizeBytes, expiresAtMs = NEVER, json}: PutChange, buffer: Buffer, at: number): number {
  buffer.writeUInt32BE(sizeBytes, at);
  buffer.writeUIntBE(expiresAtMs, at + 4, NUMBER_BYTES);
  if (json === undefined) return at + PUT_BYTES;
  buffer.set(json, at + PUT_BYTES);
  return at + PUT_BYTES + json.length;
}

function kindOf(change: Change): number {
  return change.kind === 'put' && change.json !== undefined ? KINDS.putWithValue : KINDS[change.kind];
}

function decodeChange(buffer: Buffer, at: number): {readonly change: Change; readonly end: number} {
  const mark = buffer[at] ?? 0;
  const kind = mark & ~WRITTEN_BY;
  const revision: Revision = buffer.readUIntBE(at + 1, NUMBER_BYTES);
  const keyAt = at + CHANGE_BYTES;
  const keyEnd = keyAt + buffer.readUInt16BE(at + 1 + NUMBER_BYTES);
  const key = trustStoredKey(buffer.toString('utf8', keyAt, keyEnd));
  const end = mark === kind ? keyEnd : keyEnd + 1 + (buffer[keyEnd] ?? 0);
  const writtenBy = mark === kind ? undefined : decodePrincipal(buffer, keyEnd + 1, end);
  if (kind === KINDS.delete || kind === KINDS.expire) return {change: removalOf(kind, {key, revision, writtenBy}), end};
  const sizeBytes = buffer.readUInt32BE(end);
  const expiresAtMs = buffer.readUIntBE(end + 4, NUMBER_BYTES);
  const valueAt = end + PUT_BYTES;
  const valueEnd = kind === KINDS.putWithValue ? valueAt + sizeBytes : valueAt;
  // Assigned member by member, as a spread would give each change a hidden class of its own: see `createEntry`.
  const change: {-readonly [M in keyof PutChange]: PutChange[M]} = {kind: 'put', key, revision, sizeBytes};
  if (expiresAtMs !== NEVER) change.expiresAtMs = expiresAtMs;
  if (writtenBy !== undefined) change.writtenBy = writtenBy;
  if (kind === KINDS.putWithValue) change.json = trustStoredJson(new Uint8Array(buffer.subarray(valueAt, valueEnd)));
  return {change, end: valueEnd};
}

function removalOf(
  kind: number,
  {key, revision, writtenBy}: Pick<RemovalChange, 'key' | 'revision'> & {readonly writtenBy: Principal | undefined},
): RemovalChange {
  const removal = {kind: kind === KINDS.delete ? 'delete' : 'expire', key, revision} as const;
  return writtenBy === undefined ? removal : {...removal, writtenBy};
}
