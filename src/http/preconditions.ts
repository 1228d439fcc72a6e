import {type Expectation, NO_REVISION, type Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import {headerValues} from './message.ts';

/** One element of a list of entity tags (RFC 9110 section 8.8.3); elements may be empty, and tags contain commas. */
const LIST_ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
/** A strong entity tag of ours: a revision in quotes. */
const REVISION_TAG = /^"([1-9][0-9]{0,14})"$/;

/** The entity tag of an entry: its revision, in quotes as RFC 9110 section 8.8.3 wants it. */
export function formatEntityTag(revision: Revision): string {
  return `"${revision}"`;
}

/**
 * Reads what a request expects of the entry that it changes: `If-Match`, or `If-None-Match: *`.
 *
 * @throws {AppError} `invalid-header` for what cannot be kept: it must never be ignored.
 */
export function readExpectation(rawHeaders: readonly string[]): Expectation | undefined {
  const match = readSingle(rawHeaders, 'if-match');
  const noneMatch = readSingle(rawHeaders, 'if-none-match');
  refuseDates(rawHeaders);
  if (match !== undefined && noneMatch !== undefined) {
    throw new AppError({code: 'invalid-header', header: 'If-None-Match', problem: 'it cannot stand beside If-Match'});
  }
  if (noneMatch !== undefined && noneMatch !== '*') {
    throw new AppError({code: 'invalid-header', header: 'If-None-Match', problem: 'a write takes only "*"'});
  }
  if (noneMatch !== undefined) return 'absent';
  if (match === undefined) return undefined;
  if (match === '*') return 'present';
  const revisions = readTags('If-Match', match).map(tag => tag.revision);
  return revisions.length === 1 ? (revisions[0] as Revision) : revisions;
}

/**
 * Whether a reader already has this revision, by `If-None-Match` (RFC 9110 section 13.1.2: compared weakly).
 *
 * @throws {AppError} `invalid-header`.
 */
export function isAlreadyRead(rawHeaders: readonly string[], revision: Revision): boolean {
  if (headerValues(rawHeaders, 'if-match').length > 0) {
    throw new AppError({code: 'invalid-header', header: 'If-Match', problem: 'a read takes only If-None-Match'});
  }
  refuseDates(rawHeaders);
  const noneMatch = readSingle(rawHeaders, 'if-none-match');
  if (noneMatch === undefined) return false;
  if (noneMatch === '*') return true;
  return readTags('If-None-Match', noneMatch).some(tag => tag.weakRevision === revision);
}

interface Tag {
  /** The revision it stands for when compared strongly. */
  readonly revision: Revision;
  /** The revision it stands for when compared weakly. */
  readonly weakRevision: Revision;
}

function readTags(header: string, list: string): readonly Tag[] {
  const tags: Tag[] = [];
  LIST_ELEMENT.lastIndex = 0;
  while (LIST_ELEMENT.lastIndex < list.length) {
    const element = LIST_ELEMENT.exec(list);
    if (element === null) break;
    const [, tag] = element;
    // A tag that is none of ours is no mistake: it matches nothing (RFC 9110 section 13.1.1).
    if (tag !== undefined) tags.push({revision: toRevision(tag), weakRevision: toRevision(tag.replace(/^W\//, ''))});
  }
  if (tags.length === 0 || LIST_ELEMENT.lastIndex < list.length)
    throw new AppError({code: 'invalid-header', header, problem: 'it is not a list of ETags in quotes'});
  return tags;
}

function toRevision(tag: string): Revision {
  const digits = REVISION_TAG.exec(tag)?.[1];
  return digits === undefined ? NO_REVISION : Number(digits);
}

function readSingle(rawHeaders: readonly string[], name: 'if-match' | 'if-none-match'): string | undefined {
  const values = headerValues(rawHeaders, name);
  // Lines of one list header belong together (RFC 9110 section 5.3).
  return values.length === 0 ? undefined : values.join(',').trim();
}

function refuseDates(rawHeaders: readonly string[]): void {
  if (headerValues(rawHeaders, 'if-unmodified-since').length === 0) return;
  throw new AppError({
    code: 'invalid-header',
    header: 'If-Unmodified-Since',
    problem: 'entries have revisions, not dates; use If-Match',
  });
}
