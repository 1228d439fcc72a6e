import type {RefusedRequest} from '../domain/access/refused-requests.ts';
import {readDocument} from './text/read-document.ts';

interface RefusedDocument extends Omit<RefusedRequest, 'lastAtMs'> {
  readonly lastAt: string;
}

/** Writes the requests that plugins were refused. */
export function formatRefused(refused: readonly RefusedRequest[]): string {
  const documents = refused.map(({lastAtMs, ...each}) => ({...each, lastAt: new Date(lastAtMs).toISOString()}));
  return JSON.stringify({refused: documents});
}

/** Reads what {@link formatRefused} writes. @throws {UnexpectedDocument} */
export function readRefused(json: string): readonly RefusedRequest[] {
  const texts = {plugin: 'string', method: 'string', path: 'string', permission: 'string', lastAt: 'string'} as const;
  const {refused} = readDocument<{readonly refused: readonly RefusedDocument[]}>(json, {
    refused: [{...texts, count: 'number'}],
  });
  return refused.map(({lastAt, ...each}) => ({...each, lastAtMs: Date.parse(lastAt)}));
}
