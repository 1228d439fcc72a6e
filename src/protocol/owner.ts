import type {OwnerCode} from '../domain/owner.ts';
import {readSmallDocument} from './small-document.ts';
import {readDocument} from './text/read-document.ts';

/** Maximum size of the body with a code, in bytes: the code has 43 characters. */
export const CODE_BYTES_MAX = 1024;

/** Writes a code as an answer. */
export function formatOwnerCode(code: OwnerCode): string {
  return JSON.stringify(code);
}

/** Reads what {@link formatOwnerCode} writes. @throws {UnexpectedDocument} */
export function readOwnerCode(json: string): OwnerCode {
  return readDocument<OwnerCode>(json, {code: 'string', expiresInSeconds: 'number'});
}

/**
 * Reads the body that exchanges a code, `{"code": "…"}`.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-code` if it has no code.
 */
export function readCodeExchange(body: Uint8Array): string {
  const read = readSmallDocument(
    body,
    root => root.string('code'),
    () => ({code: 'invalid-code'}),
  );
  return read ?? '';
}

/** Writes the token of a page as an answer. */
export function formatPageToken(token: string): string {
  return JSON.stringify({token});
}
