import type {EntryRemoved, EntryWritten, IdentityChanged, Reset} from '../domain/event.ts';
import type {JsonText} from '../domain/json-text.ts';
import type {Key} from '../domain/key.ts';
import {hasShape, type Shape} from '../domain/shape.ts';

/** Something that happened, as a client hears of it. */
export type ClientEvent<T = unknown> = ValueWritten<T> | EntryRemoved | IdentityChanged | Reset;

/** An entry was written; its value comes in all forms, unless it is larger than 64 KiB. */
export interface ValueWritten<T = unknown> extends EntryWritten {
  /** The value as it was written; only line breaks between its tokens have become spaces. */
  readonly text?: string;
  /** The value as JavaScript has it: of numbers that it cannot hold, the nearest. */
  readonly value?: T;
}

/** The members of an event as they are sent. */
interface SentEvent {
  readonly kind: string;
  readonly key: Key;
  readonly revision: string;
  readonly sizeBytes: number;
  readonly expiresAt?: string;
  readonly value?: unknown;
}

/**
 * Reads the data of an event.
 *
 * @returns Undefined for a kind that came after this version.
 * @throws {SyntaxError} If it is not JSON, or lacks what belongs to its kind.
 */
export function readEvent(data: string): ClientEvent | undefined {
  const event = JSON.parse(data) as SentEvent;
  const {kind, key, revision, ...about} = event;
  switch (kind) {
    case 'entry-written':
      assert(hasShape(event, WRITTEN));
      return {kind, key, revision: Number(revision), ...readWritten(about, data)};
    case 'entry-deleted':
    case 'entry-expired':
      assert(hasShape(event, REMOVED));
      return {kind, key, revision: Number(revision)};
    case 'identity-changed':
      return {kind};
    case 'reset':
      assert(hasShape(revision, 'digits'));
      return {kind, revision: Number(revision)};
    default:
      return undefined;
  }
}

const REMOVED: Shape = {key: 'string', revision: 'digits'};
const WRITTEN: Shape = {...REMOVED, sizeBytes: 'number', 'expiresAt?': 'string'};

function assert(isSound: boolean): void {
  if (!isSound) throw new SyntaxError();
}

const VALUE_MEMBER = '"value":';

function readWritten(
  {sizeBytes, expiresAt, ...about}: Omit<SentEvent, 'kind' | 'key' | 'revision'>,
  data: string,
): Omit<ValueWritten, 'kind' | 'key' | 'revision'> {
  const info = expiresAt === undefined ? {sizeBytes} : {sizeBytes, expiresAtMs: Date.parse(expiresAt)};
  assert(!Number.isNaN(info.expiresAtMs));
  if (!('value' in about)) return info;
  // The value is the last member, and quotes in the members before it are escaped: a parsed one would have lost what
  // numbers cannot hold.
  const text = data.slice(data.indexOf(VALUE_MEMBER) + VALUE_MEMBER.length, data.lastIndexOf('}'));
  return {...info, json: new TextEncoder().encode(text) as JsonText, text, value: about.value};
}
