import {parseStoreId, type StoreId} from './store-id.ts';

/**
 * The number of a commit: one counter for the whole store, from 1, without gaps. An entry carries the
 * revision of its last write. In JSON it is a string, since it may exceed the integers of other languages.
 */
export type Revision = number;

/** A revision and its store: in another store, or another history of it, the same number means another commit. */
export interface StoreRevision {
  readonly storeId: StoreId;
  readonly revision: Revision;
}

/** A revision as callers give it. A bare one refers to the called store, unchecked. */
export type GivenRevision = Revision | StoreRevision;

/** A revision that no entry has. */
export const NO_REVISION: Revision = 0;

/** The form of a revision, behind the id of its store: as many digits as a number holds exactly. */
const REVISION = /^(?:(.*)-)?(0|[1-9][0-9]{0,14})$/;

/**
 * Writes a revision with the id of its store, such as `3f9c2a7b01d4e856-12`.
 *
 * @example
 * ```ts
 * import {formatRevision, parseRevision} from 'crewroom';
 *
 * const given = parseRevision('3f9c2a7b01d4e856-12');
 * console.log(typeof given === 'object' && formatRevision(given)); // 3f9c2a7b01d4e856-12
 * ```
 */
export function formatRevision({storeId, revision}: StoreRevision): string {
  return `${storeId}-${revision}`;
}

/**
 * Reads a revision as callers give it: bare, such as `12`, or with the id of its store, such as `3f9c2a7b01d4e856-12`.
 *
 * @returns Undefined for anything else.
 * @example
 * ```ts
 * import {parseRevision} from 'crewroom';
 *
 * console.log(parseRevision('12'), parseRevision('012')); // 12 undefined
 * ```
 */
export function parseRevision(text: string): GivenRevision | undefined {
  const [, id, digits] = REVISION.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const revision = Number(digits);
  if (id === undefined) return revision;
  const storeId = parseStoreId(id);
  return storeId && {storeId, revision};
}

/** Returns the revision within a given store; undefined for one of another store. A bare revision is accepted unchecked. */
export function revisionIn(storeId: StoreId, given: GivenRevision): Revision | undefined {
  if (typeof given === 'number') return given;
  return given.storeId === storeId ? given.revision : undefined;
}
