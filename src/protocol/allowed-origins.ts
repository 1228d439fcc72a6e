import type {AllowedOriginList} from '../domain/allowed-origins.ts';
import {readSmallDocument} from './small-document.ts';
import {formatTime} from './text/format-time.ts';
import {readDocument, readTime} from './text/read-document.ts';

/** Maximum size of the body that allows an origin, in bytes: one origin. */
export const ALLOWED_ORIGIN_BYTES_MAX = 4 * 1024;

interface AllowedOriginsDocument {
  readonly allowed: readonly string[];
  readonly refused: readonly {readonly origin: string; readonly count: number; readonly at: string}[];
}

/** Writes the origins of other pages. */
export function formatAllowedOrigins({allowed, refused}: AllowedOriginList): string {
  const document: AllowedOriginsDocument = {
    allowed,
    refused: refused.map(({origin, count, atMs}) => ({origin, count, at: formatTime(atMs)})),
  };
  return JSON.stringify(document);
}

/** Reads what {@link formatAllowedOrigins} writes. @throws {UnexpectedDocument} */
export function readAllowedOrigins(json: string): AllowedOriginList {
  const {allowed, refused} = readDocument<AllowedOriginsDocument>(json, {
    allowed: ['string'],
    refused: [{origin: 'string', count: 'number', at: 'string'}],
  });
  return {allowed, refused: refused.map(({at, ...origin}) => ({...origin, atMs: readTime(at)}))};
}

/** Writes the body that allows an origin. */
export function formatAllowedOrigin(origin: string): string {
  return JSON.stringify({origin});
}

/**
 * Reads what {@link formatAllowedOrigin} writes.
 *
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-origin` with the path of each problem.
 */
export function readAllowedOrigin(body: Uint8Array): string {
  const read = readSmallDocument(
    body,
    root => root.string('origin'),
    problems => ({code: 'invalid-origin', problems}),
  );
  return read ?? '';
}
