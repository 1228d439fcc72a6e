import type {Imported} from '../../domain/commits/transfer.ts';
import type {ShapeOf} from '../../domain/shape.ts';
import {readDocument} from '../text/read-document.ts';

/** Writes the result of an import. */
export function formatImported({revision, ...imported}: Imported): string {
  return JSON.stringify({...imported, revision: String(revision)});
}

/** Reads what {@link formatImported} writes. @throws {UnexpectedDocument} */
export function readImported(json: string): Imported {
  const {revision, ...imported} = readDocument<SentImported>(json, SENT_IMPORTED);
  return {...imported, revision: Number(revision)};
}

type SentImported = Omit<Imported, 'revision'> & {readonly revision: string};

const SENT_IMPORTED: ShapeOf<SentImported> = {
  dryRun: 'boolean',
  entries: 'number',
  created: 'number',
  replaced: 'number',
  expired: 'number',
  deleted: 'number',
  batches: 'number',
  revision: 'digits',
};
