import {ANSWER_BYTES_MAX, type Answer, parseAnswer, unexpectedAnswer} from '../client/answer.ts';
import type {PinnedStore} from '../client/pinned-store.ts';
import type {Page} from '../domain/entries.ts';
import type {Entry, EntryInfo} from '../domain/entry.ts';
import type {JsonText} from '../domain/json-text.ts';
import type {Key} from '../domain/key.ts';
import type {ShapeOf} from '../domain/shape.ts';
import type {StoreId} from '../domain/store-id.ts';
import {readTyped, type SchemaOption, type TypedEntry} from '../domain/typed-entry.ts';

/** Reads a page of a listing without values. @param bytesMax Largest page that is parsed. */
export function readPage(answer: Answer, store: PinnedStore, bytesMax?: number): Page<EntryInfo> {
  const {storeId, entries, next} = parseAnswer<ListedPage>(answer, LISTED_PAGE, bytesMax);
  store.meet(storeId);
  const infos = entries.map(({key, revision, sizeBytes, updatedAt, expiresAt}): EntryInfo => {
    return {key, revision: Number(revision), sizeBytes, ...readTimes(answer, updatedAt, expiresAt)};
  });
  return next === undefined ? {entries: infos} : {entries: infos, next};
}

/** Reads a page of a listing with values. */
export async function readValuePage<T>(
  answer: Answer,
  store: PinnedStore,
  options: SchemaOption<T>,
): Promise<Page<TypedEntry<T>>> {
  const page = readPage(answer, store, ANSWER_BYTES_MAX);
  const entries = withValues(page.entries, answer).map(entry => readTyped(entry, options));
  return {...page, entries: await Promise.all(entries)};
}

interface ListedPage {
  readonly storeId: StoreId;
  readonly entries: readonly {
    readonly key: Key;
    readonly revision: string;
    readonly sizeBytes: number;
    readonly updatedAt: string;
    readonly expiresAt?: string;
  }[];
  readonly next?: string;
}

const LISTED_PAGE: ShapeOf<ListedPage> = {
  storeId: 'string',
  entries: [{key: 'string', revision: 'digits', sizeBytes: 'number', updatedAt: 'string', 'expiresAt?': 'string'}],
  'next?': 'string',
};

const VALUE_MEMBER = new TextEncoder().encode('"value":');

/**
 * Cuts the values out of a page, byte for byte; parsed ones would have lost what numbers cannot hold.
 * In the members before it, quotes inside a text are escaped, so the name in quotes is the member itself.
 */
function withValues(infos: readonly EntryInfo[], answer: Answer): readonly Entry[] {
  const page = answer.bytes;
  let at = 0;
  return infos.map(info => {
    const start = indexOfBytes(page, VALUE_MEMBER, at) + VALUE_MEMBER.length;
    at = start + info.sizeBytes;
    if (at > page.length) throw unexpectedAnswer(answer, 'it lacks the values');
    return {...info, json: page.slice(start, at) as JsonText};
  });
}

function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && !wanted.every((byte, index) => bytes[at + index] === byte)) at++;
  return at;
}

/** Reads the times of an entry, as the service writes them. @throws {AppError} `unexpected-answer` for anything else. */
export function readTimes(
  answer: Answer,
  updatedAt: string | null,
  expiresAt: string | null | undefined,
): Pick<EntryInfo, 'updatedAtMs' | 'expiresAtMs'> {
  const updatedAtMs = readTime(answer, updatedAt ?? '');
  return expiresAt ? {updatedAtMs, expiresAtMs: readTime(answer, expiresAt)} : {updatedAtMs};
}

function readTime(answer: Answer, text: string): number {
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw unexpectedAnswer(answer, 'it has no time of this service');
  return timeMs;
}
