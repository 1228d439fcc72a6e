import type {OwnerCode} from '../domain/access/owner.ts';
import {readDocument} from './text/read-document.ts';

/** Writes a code as an answer. */
export function formatOwnerCode(code: OwnerCode): string {
  return JSON.stringify(code);
}

/** Reads what {@link formatOwnerCode} writes. @throws {UnexpectedDocument} */
export function readOwnerCode(json: string): OwnerCode {
  return readDocument<OwnerCode>(json, {code: 'string', expiresInSeconds: 'number'});
}

/** Writes the token of a page as an answer. */
export function formatPageToken(token: string): string {
  return JSON.stringify({token});
}
