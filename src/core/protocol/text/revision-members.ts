import {type EntityTag, formatEntityTag, type StoreRevision} from '../../domain/entries/identifiers.ts';

/** A revision as documents have it. */
export interface RevisionMembers {
  readonly revision: string;
  /** To be copied into `If-Match`. */
  readonly etag: EntityTag;
}

/** Writes a revision as the members of a document. */
export function revisionMembers(at: StoreRevision): RevisionMembers {
  return {revision: String(at.revision), etag: formatEntityTag(at)};
}
