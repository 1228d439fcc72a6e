import type {Answer} from './connection.ts';
import type {Place} from './document.ts';
import {type Found, found, headerOf} from './finding.ts';

/** Headers of files that differ from those of other answers: browsers keep files. */
export const FILE_HEADERS = {'cache-control': 'no-cache'};

/** Returns whether an answer is about a file of a page, or a part of it. */
export function isFile(place: Place, {status}: Answer): boolean {
  return isPage(place) && [200, 206, 304, 416].includes(status);
}

/** Returns whether a place has files: pages of plugins, and the console, its client and the documentation, which the document names. */
function isPage(place: Place): boolean {
  if (place.kind === 'page') return true;
  return 'operation' in place && /^\/(?:|client\.js|docs|docs\/.*)$/.test(place.operation.path);
}

/** Checks an answer with a file: it has an entity tag, and its bytes are those of a page and of no other file. */
export function* checkFile({status, headers, body}: Answer, pages: readonly string[]): Iterable<Found> {
  const tag = headerOf(headers, 'etag');
  if (tag === undefined || !/^"[^"]+"$/.test(tag)) yield found('wrong-header', `its entity tag is ${tag}`);
  const text = Buffer.from(body).toString();
  if (status === 304 || status === 416) {
    if (text !== '') yield found('wrong-body', `it has ${body.length} bytes`);
  } else if (status === 200 && text !== '' && !pages.includes(text)) yield found('leak', 'it is no file of a page');
  else if (!pages.some(page => page.includes(text))) yield found('leak', 'it is no part of a file of a page');
}
