import type {Imported} from '../../domain/commits/transfer.ts';
import {parseDocument} from '../text/read-document.ts';

/** Writes the result of an import. */
export function formatImported({revision, ...imported}: Imported): string {
  return JSON.stringify({...imported, revision: String(revision)});
}

/** Reads what {@link formatImported} writes. */
export function readImported(json: string): Imported {
  const {revision, ...imported} = parseDocument<Omit<Imported, 'revision'> & {readonly revision: string}>(json);
  return {...imported, revision: Number(revision)};
}
