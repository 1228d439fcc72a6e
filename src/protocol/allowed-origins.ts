import type {AllowedOriginList} from '../domain/access/allowed-origins.ts';
import {formatTime} from './text/format-time.ts';
import {readDocument, readTime} from './text/read-document.ts';

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
