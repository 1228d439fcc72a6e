import type {OwnerCode} from '../domain/access/owner.ts';
import {readDocument} from './text/read-document.ts';

/** Reads a code from an answer. @throws {UnexpectedDocument} */
export function readOwnerCode(json: string): OwnerCode {
  return readDocument<OwnerCode>(json, {code: 'string', expiresInSeconds: 'number'});
}
