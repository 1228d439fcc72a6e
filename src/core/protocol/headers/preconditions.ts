import type {Expectation} from '../../domain/entries/entry.ts';
import {type EntityTag, NO_REVISION, untagged} from '../../domain/entries/identifiers.ts';
import {refusedHeader} from '../../failures/app-error.ts';
import type {RevisionFormat} from '../transaction/write-transaction.ts';
import type {RequestHeaders} from './request-headers.ts';

/** The headers of preconditions. */
type Conditions = Pick<RequestHeaders, 'if-match' | 'if-none-match' | 'if-unmodified-since'>;

/** One element of a list of entity tags (RFC 9110 section 8.8.3); elements may be empty, and tags contain commas. */
const LIST_ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

/** Writes the precondition of a write as headers: `If-Match`, or `If-None-Match: *`. */
export function formatExpectation(
  expected: Expectation | undefined,
  format: RevisionFormat,
): Readonly<Record<string, string>> {
  if (expected === undefined) return {};
  if (expected === 'absent') return {'If-None-Match': '*'};
  if (expected === 'present') return {'If-Match': '*'};
  const given = [expected].flat();
  // An empty list would be no header at all, and then the write would always happen.
  const tags = (given.length === 0 ? [NO_REVISION] : given).map(each => `"${format(untagged(each))}"`);
  return {'If-Match': tags.join(', ')};
}

/** Returns whether a precondition has a bare revision. As an entity tag it matches nothing until it has a store id. */
export function hasBareRevision(expected: Expectation | undefined): boolean {
  return [expected].flat().some(given => typeof given === 'number' && given !== NO_REVISION);
}

/**
 * Reads the precondition of a write, from {@link formatExpectation} or from other clients.
 *
 * @throws {AppError} `invalid-header` for a precondition that is not supported: it must never be ignored.
 */
export function readExpectation(headers: Conditions): Expectation | undefined {
  const match = joinLines(headers['if-match']);
  const noneMatch = joinLines(headers['if-none-match']);
  refuseDates(headers);
  if (match !== undefined && noneMatch !== undefined) {
    throw refusedHeader('If-None-Match', 'it cannot be combined with If-Match');
  }
  if (noneMatch !== undefined && noneMatch !== '*') {
    throw refusedHeader('If-None-Match', 'a write accepts only "*"');
  }
  if (noneMatch !== undefined) return 'absent';
  if (match === undefined) return undefined;
  if (match === '*') return 'present';
  const revisions = readTags('If-Match', match).map(untagged);
  const [first, second] = revisions;
  return first !== undefined && second === undefined ? first : revisions;
}

/**
 * Returns whether a reader already has what has this entity tag. Refuses preconditions of writes.
 *
 * @throws {AppError} `invalid-header`.
 */
export function isAlreadyRead(headers: Conditions, tag: string): boolean {
  if (headers['if-match'].length > 0) {
    throw refusedHeader('If-Match', 'a read accepts only If-None-Match');
  }
  refuseDates(headers);
  return hasTag(headers, tag);
}

/** Returns whether `If-None-Match` has an entity tag (RFC 9110 section 13.1.2: compared weakly). @throws {AppError} `invalid-header`. */
export function hasTag(headers: Pick<Conditions, 'if-none-match'>, tag: string): boolean {
  const noneMatch = joinLines(headers['if-none-match']);
  if (noneMatch === undefined) return false;
  if (noneMatch === '*') return true;
  return readTags('If-None-Match', noneMatch).some(given => given.replace(/^W\//, '') === tag);
}

function readTags(header: string, list: string): readonly EntityTag[] {
  const tags: EntityTag[] = [];
  LIST_ELEMENT.lastIndex = 0;
  while (LIST_ELEMENT.lastIndex < list.length) {
    const element = LIST_ELEMENT.exec(list);
    if (element === null) break;
    const [, tag] = element;
    // A tag of another service is valid, and matches nothing (RFC 9110 section 13.1.1).
    if (tag !== undefined) tags.push(tag as EntityTag);
  }
  if (tags.length === 0 || LIST_ELEMENT.lastIndex < list.length)
    throw refusedHeader(header, `${JSON.stringify(list.slice(0, 100))} is not a list of ETags in quotes`);
  return tags;
}

/** Joins the lines of a list header, which belong together (RFC 9110 section 5.3). */
function joinLines(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(',').trim();
}

function refuseDates(headers: Conditions): void {
  if (headers['if-unmodified-since'].length === 0) return;
  throw refusedHeader('If-Unmodified-Since', 'entries have revisions, not dates; use If-Match');
}
