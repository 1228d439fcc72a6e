import type {Principal} from '../../domain/access/access.ts';
import type {EntryInfo} from '../../domain/entries/entry.ts';
import type {Key} from '../../domain/entries/key.ts';
import {createShapeCheck, type Shape, type ShapeOf} from '../../domain/shape.ts';

/** Thrown for a document that the service does not write. The message names the problem. */
export class UnexpectedDocument extends Error {
  constructor(message = 'it is not a document of this service', options?: ErrorOptions) {
    super(message, options);
  }
}

/**
 * Parses a document of the service.
 *
 * @throws {UnexpectedDocument} If it is not JSON, or not of this shape.
 */
export function readDocument<T>(json: string, shape: ShapeOf<T>): T {
  return assertShape(parseDocument(json), shape);
}

/** Parses JSON. @throws {UnexpectedDocument} */
export function parseDocument(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new UnexpectedDocument('it is not JSON', {cause});
  }
}

/** Returns a document that has a shape. @throws {UnexpectedDocument} If it has not. */
export function assertShape<T>(document: unknown, shape: ShapeOf<T>): T {
  if (!createShapeCheck(shape as Shape)(document)) throw new UnexpectedDocument();
  return document as T;
}

/** Returns when an entry or a session expires; without the member if it never does. @throws {UnexpectedDocument} */
export function readExpiryMember(expiresAt: string | undefined): {readonly expiresAtMs?: number} {
  return expiresAt === undefined ? {} : {expiresAtMs: readTime(expiresAt)};
}

/** Returns when an entry expires and who wrote it; without the members that are absent. @throws {UnexpectedDocument} */
export function readExpiryAndWriter({expiresAt, writtenBy}: SentState): Pick<EntryInfo, 'expiresAtMs' | 'writtenBy'> {
  return {...(expiresAt && {expiresAtMs: readTime(expiresAt)}), ...(writtenBy && {writtenBy: writtenBy as Principal})};
}

/** Members of an entry that may be absent. */
interface SentState {
  readonly expiresAt?: string | null;
  readonly writtenBy?: string | null;
}

/** Members that listed entries and events about entries have in common. */
export interface SentEntry {
  readonly key: Key;
  readonly revision: string;
  readonly expiresAt?: string;
  readonly writtenBy?: string;
}

/** The shape of a {@link SentEntry}. */
export const SENT_ENTRY: ShapeOf<SentEntry> = {
  key: 'string',
  revision: 'digits',
  'expiresAt?': 'string',
  'writtenBy?': 'string',
};

/** Returns the members that listed entries and events about entries have in common. @throws {UnexpectedDocument} */
export function readSentEntry(sent: SentEntry): Pick<EntryInfo, 'key' | 'revision' | 'expiresAtMs' | 'writtenBy'> {
  return {key: sent.key, revision: Number(sent.revision), ...readExpiryAndWriter(sent)};
}

/** Returns a time (RFC 3339) in milliseconds since the Unix epoch. @throws {UnexpectedDocument} */
export function readTime(text: string): number {
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw new UnexpectedDocument();
  return timeMs;
}
