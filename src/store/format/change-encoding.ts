import type {Principal} from '../../core/domain/access/access.ts';
import type {CommitResult, Outcome} from '../../core/domain/commits/commit.ts';
import type {Change, PutChange, RemovalChange} from '../../core/domain/commits/store.ts';
import {type Revision, trustStoredKey} from '../../core/domain/entries/identifiers.ts';
import {trustStoredJson} from '../../core/json/json-text.ts';
import {NUMBER_BYTES, toStoredTime} from './numbers.ts';
import {decodePrincipal, encodePrincipal} from './principal.ts';

/**
 * Encoding of changes, one after the other, in the change log and in the write-ahead log; all numbers big-endian. A change is
 * its kind (1 put, 2 put with its value, 3 delete, 4 expire, 5 the mark of a commit), six bytes of revision, two of the length of the key, and the key.
 * If the highest bit of the kind is set, one byte with the length of the principal follows, and the principal, as `principal.ts` encodes it. If the
 * next bit is set, six bytes with the time of the commit follow: versions with data format 6 wrote none, and no marks. A put continues with four bytes of the size of the value, six of the time of expiry (0 for never), and the value if it is kept.
 */
const KINDS = {put: 1, putWithValue: 2, delete: 3, expire: 4, commit: 5} as const;

/** Bits of the kind of a change that names its principal, and of one that has its time. */
const WRITTEN_BY = 0x80;
const TIMED = 0x40;
const NEVER = 0;

/** Bytes of every change before its key, and of a put after its key. */
const CHANGE_BYTES = 1 + NUMBER_BYTES + 2;
const PUT_BYTES = 4 + NUMBER_BYTES;

/** Returns the maximum size of some encoded changes, in bytes. */
export function encodedBytesMax(changes: readonly LoggedChange[]): number {
  const headBytes = changes.length * (CHANGE_BYTES + NUMBER_BYTES + PUT_BYTES);
  // UTF-8 has at most three bytes for a UTF-16 unit.
  return changes.reduce(
    (sum, change) => sum + 3 * change.key.length + principalBytesMax(change) + valueBytesOf(change),
    headBytes,
  );
}

function principalBytesMax(change: LoggedChange): number {
  return change.kind === 'commit' || change.writtenBy === undefined ? 0 : 1 + 3 * change.writtenBy.length;
}

/** Returns the size of the value that a change carries, in bytes. */
export function valueBytesOf(change: LoggedChange): number {
  return change.kind === 'put' ? (change.json?.length ?? 0) : 0;
}

/** Returns the size of the key and the value of a change, in bytes. */
export function volumeOf(change: LoggedChange): number {
  // Keys are counted in characters: counting their bytes would cost more than it is worth.
  return change.key.length + valueBytesOf(change);
}

/** Returns the size of the keys and values of changes, in bytes. */
export function volumeOfAll(changes: readonly LoggedChange[]): number {
  return changes.reduce((sum, change) => sum + volumeOf(change), 0);
}

/** Writes changes into a buffer. @returns The position after them. */
export function encodeChanges(changes: readonly LoggedChange[], buffer: Buffer, at: number): number {
  let end = at;
  for (const change of changes) end = encodeChange(change, buffer, end);
  return end;
}

/** Reads the changes between two positions. Each value is a copy, so that keeping it does not keep the buffer. */
export function decodeChanges(buffer: Buffer, at: number, end: number): readonly LoggedChange[] {
  const changes: LoggedChange[] = [];
  for (let next = at; next < end; ) {
    const decoded = decodeChange(buffer, next);
    changes.push(decoded.change);
    next = decoded.end;
  }
  return changes;
}

function encodeChange(change: LoggedChange, buffer: Buffer, at: number): number {
  buffer[at] = kindOf(change);
  buffer.writeUIntBE(change.revision, at + 1, NUMBER_BYTES);
  const keyBytes = buffer.write(change.key, at + CHANGE_BYTES);
  buffer.writeUInt16BE(keyBytes, at + 1 + NUMBER_BYTES);
  let end = at + CHANGE_BYTES + keyBytes;
  if (change.kind !== 'commit' && change.writtenBy !== undefined)
    end = encodeWriter(change.writtenBy, buffer, {at, keyEnd: end});
  if (change.committedAtMs !== undefined) {
    buffer[at] = (buffer[at] ?? 0) | TIMED;
    end = buffer.writeUIntBE(toStoredTime(change.committedAtMs), end, NUMBER_BYTES);
  }
  return change.kind === 'put' ? encodePut(change, buffer, end) : end;
}

/** Writes the principal of a change behind its key. @returns The position after it. */
function encodeWriter(
  writtenBy: Principal,
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

function kindOf(change: LoggedChange): number {
  return change.kind === 'put' && change.json !== undefined ? KINDS.putWithValue : KINDS[change.kind];
}

function decodeChange(buffer: Buffer, at: number): {readonly change: LoggedChange; readonly end: number} {
  const mark = buffer[at] ?? 0;
  const kind = mark & ~(WRITTEN_BY | TIMED);
  const revision: Revision = buffer.readUIntBE(at + 1, NUMBER_BYTES);
  const keyAt = at + CHANGE_BYTES;
  const keyEnd = keyAt + buffer.readUInt16BE(at + 1 + NUMBER_BYTES);
  const key = trustStoredKey(buffer.toString('utf8', keyAt, keyEnd));
  const isNamed = (mark & WRITTEN_BY) !== 0;
  const timeAt = isNamed ? keyEnd + 1 + (buffer[keyEnd] ?? 0) : keyEnd;
  const writtenBy = isNamed ? decodePrincipal(buffer, keyEnd + 1, timeAt) : undefined;
  const committedAtMs = mark & TIMED ? buffer.readUIntBE(timeAt, NUMBER_BYTES) : undefined;
  const end = committedAtMs === undefined ? timeAt : timeAt + NUMBER_BYTES;
  if (kind !== KINDS.put && kind !== KINDS.putWithValue)
    return {change: keyChangeOf(kind, {key, revision, writtenBy, committedAtMs}), end};
  const sizeBytes = buffer.readUInt32BE(end);
  const expiresAtMs = buffer.readUIntBE(end + 4, NUMBER_BYTES);
  const valueAt = end + PUT_BYTES;
  const valueEnd = kind === KINDS.putWithValue ? valueAt + sizeBytes : valueAt;
  // Assigned member by member, as a spread would give each change a hidden class of its own: see `createEntry`.
  const change: {-readonly [M in keyof PutChange]: PutChange[M]} = {kind: 'put', key, revision, sizeBytes};
  if (expiresAtMs !== NEVER) change.expiresAtMs = expiresAtMs;
  if (committedAtMs !== undefined) change.committedAtMs = committedAtMs;
  if (writtenBy !== undefined) change.writtenBy = writtenBy;
  if (kind === KINDS.putWithValue) change.json = trustStoredJson(new Uint8Array(buffer.subarray(valueAt, valueEnd)));
  return {change, end: valueEnd};
}

interface DecodedKey extends Pick<RemovalChange, 'key' | 'revision'> {
  readonly writtenBy: Principal | undefined;
  readonly committedAtMs: number | undefined;
}

function keyChangeOf(kind: number, {key, revision, writtenBy, committedAtMs}: DecodedKey): RemovalChange | CommitMark {
  const time = committedAtMs === undefined ? {} : {committedAtMs};
  if (kind === KINDS.commit) return {kind: 'commit', key, revision, ...time};
  const removal = {kind: kind === KINDS.delete ? 'delete' : 'expire', key, revision, ...time} as const;
  return writtenBy === undefined ? removal : {...removal, writtenBy};
}

/**
 * The record of a commit with an id, in the change log behind its changes; alone, under a revision of its own, if it changed nothing. Its `key` has
 * the bound id, the digest of the content, and the first letter of each outcome, with spaces between them.
 */
export interface CommitMark {
  readonly kind: 'commit';
  readonly key: string;
  readonly revision: Revision;
  readonly committedAtMs?: number;
}

/** An element of the change log. */
export type LoggedChange = Change | CommitMark;

/** A commit that was applied, as it is found by its id. */
export interface AppliedCommit {
  readonly digest: string;
  readonly result: CommitResult;
}

const OUTCOMES: readonly Outcome[] = ['created', 'replaced', 'deleted', 'absent'];

/** Returns the `key` of a mark. */
export function markKeyOf(id: string, {digest, result}: AppliedCommit): string {
  return `${id} ${digest} ${result.outcomes.map(([letter]) => letter).join('')}`;
}

/** Returns the bound id in the `key` of a mark. */
export function idOfMark({key}: Pick<CommitMark, 'key'>): string {
  return key.slice(0, key.indexOf(' '));
}

/** Reads a mark. */
export function appliedOf({key, revision}: Pick<CommitMark, 'key' | 'revision'>): AppliedCommit {
  const [, digest = '', letters = ''] = key.split(' ');
  const outcomes = Array.from(letters, letter => OUTCOMES.find(outcome => outcome.startsWith(letter)) ?? 'absent');
  return {digest, result: {revision, outcomes}};
}

/** Returns the marks among some elements of the change log. */
export function marksOf(logged: readonly LoggedChange[]): readonly CommitMark[] {
  return logged.filter(({kind}) => kind === 'commit') as readonly CommitMark[];
}

/** Returns the changes among some elements of the change log. */
export function changesOf(logged: readonly LoggedChange[]): readonly Change[] {
  return logged.filter(({kind}) => kind !== 'commit') as readonly Change[];
}
