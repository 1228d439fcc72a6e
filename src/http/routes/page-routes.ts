import {join} from 'node:path';
import {AppError} from '../../domain/app-error.ts';
import type {Plugins} from '../../domain/plugin.ts';
import {headerValues} from '../../protocol/headers/raw-headers.ts';
import {type HttpAnswer, redirect, WINDOW_HEADERS} from '../core/message.ts';
import type {Call, Route} from '../core/route.ts';
import {answerFile, type Rewrite} from '../files/file-answer.ts';
import {findFile} from '../files/find-file.ts';
import {hostOf, isMoved, portOf, replacePublishedAddress} from './published-address.ts';

/** Dependencies of {@link pageRoutes}. */
export interface PageRoutesDeps {
  readonly plugins: Pick<Plugins, 'pageDirectory'>;
  /** Origins of other pages that may call. */
  readonly allowedOrigins: readonly string[];
}

/** `/plugins/{id}/…`: files of the page of a plugin. */
export function pageRoutes(deps: PageRoutesDeps): readonly Route[] {
  return [
    {path: '/plugins/{id}', operations: {GET: redirectToPage}},
    {path: '/plugins/{id}/{path...}', operations: {GET: call => answerPage(call, deps)}},
  ];
}

/** Pages refer to their files relative to a path that ends in a slash. */
function redirectToPage({segments: [id = ''], query}: Call): HttpAnswer {
  return redirect(308, `/plugins/${id}/${query === '' ? '' : `?${query}`}`);
}

async function answerPage({request, segments}: Call, {plugins, allowedOrigins}: PageRoutesDeps): Promise<HttpAnswer> {
  const [id = '', path = ''] = segments;
  const directory = plugins.pageDirectory(id);
  if (directory === undefined) throw notFound(segments);
  const host = hostOf(request);
  const options = {rawHeaders: [...policyOf(host, allowedOrigins), ...WINDOW_HEADERS], rewrite: rewriteFor(host)};
  const asked = path === '' ? join(directory, 'index.html') : await findFile(directory, path);
  const answered = asked === undefined ? undefined : await answerFile(request, asked, options);
  if (answered !== undefined) return answered;
  // Pages have routes of their own, which exist in the browser only. A script that asks for a missing file gets 404.
  const shown = isNavigation(request.rawHeaders)
    ? await answerFile(request, join(directory, 'index.html'), options)
    : undefined;
  if (shown === undefined) throw notFound(segments);
  return shown;
}

function notFound([id = '', path = '']: readonly string[]): AppError {
  return new AppError({code: 'no-resource', path: `/plugins/${id}/${path}`.slice(0, 100)});
}

/** Returns whether a window or a frame is to show the answer (Fetch Metadata). */
function isNavigation(rawHeaders: readonly string[]): boolean {
  return headerValues(rawHeaders, 'sec-fetch-dest').some(value => value === 'document' || value === 'iframe');
}

/** Allows pages of this service, under both of its names, and of allowed origins to frame a page. */
function policyOf(host: string, allowedOrigins: readonly string[]): readonly string[] {
  const port = portOf(host);
  const own = ["'self'", `http://localhost:${port}`, `http://127.0.0.1:${port}`];
  return ['Content-Security-Policy', `frame-ancestors ${[...own, ...allowedOrigins].join(' ')}`];
}

/** Returns how the address of the service in files of pages is replaced; undefined on the port that they expect. */
function rewriteFor(host: string): Rewrite | undefined {
  if (!isMoved(host)) return undefined;
  return {name: host.toLowerCase(), apply: text => replacePublishedAddress(text, host)};
}
