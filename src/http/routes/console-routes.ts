import {fileURLToPath} from 'node:url';
import {AppError} from '../../domain/app-error.ts';
import {headerValues} from '../../protocol/headers/raw-headers.ts';
import {type HttpAnswer, WINDOW_HEADERS} from '../core/message.ts';
import type {Call, Route} from '../core/route.ts';
import {answerFile} from '../files/file-answer.ts';
import {findFile} from '../files/find-file.ts';
import {assertNoQuery} from './no-query.ts';

/** The built console: `dist/console/`, seen from the sources and from the built files alike. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../../dist/console/', import.meta.url));

/**
 * Policy of the console. It runs its own scripts and styles only, and talks to this service only.
 *
 * - Images of other hosts, such as the logo of an airline and the avatar of a pilot, are not loaded: each of them would tell a
 *   third party whenever the console is opened, and fail without a network.
 * - Sounds may come from anywhere: a plugin asks for them, and its code may call any host by itself.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "media-src 'self' data: http: https:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = ['Content-Security-Policy', CONSOLE_POLICY, ...WINDOW_HEADERS];

/** `/`, the page of the console, and `/console/…`, the files that it loads. It contains no data. */
export function consoleRoutes(): readonly Route[] {
  return [
    {path: '/', operations: {GET: call => answerConsole(call, 'index.html', openerHeaders(call.request.rawHeaders))}},
    {path: '/console/{path...}', operations: {GET: call => answerConsole(call, call.segments[0] ?? '')}},
  ];
}

/**
 * Marks a page that another site opened. That site chose the fragment of the address as well, which names a plugin, and pages of plugins act
 * without a click: the console asks before it shows one. A script reads the mark in the entry of its navigation (Server Timing, W3C).
 */
function openerHeaders(rawHeaders: readonly string[]): readonly string[] {
  const [host = ''] = headerValues(rawHeaders, 'host');
  const isForeignSite = headerValues(rawHeaders, 'sec-fetch-site').some(
    site => site !== 'same-origin' && site !== 'none',
  );
  const isForeignReferer = headerValues(rawHeaders, 'referer').some(
    referer => referer !== '' && !referer.startsWith(`http://${host}/`),
  );
  // Never absent: a browser that has the page already keeps the headers that an answer 304 does not replace.
  return ['Server-Timing', isForeignSite || isForeignReferer ? 'opened-by-other-site' : 'opened-by-user'];
}

async function answerConsole(
  {request, query}: Call,
  path: string,
  further: readonly string[] = [],
): Promise<HttpAnswer> {
  assertNoQuery(query);
  const file = await findFile(CONSOLE_FOLDER, path);
  const answered =
    file === undefined ? undefined : await answerFile(request, file, {rawHeaders: [...HEADERS, ...further]});
  if (answered === undefined) throw new AppError({code: 'no-resource', path: `/console/${path}`.slice(0, 100)});
  return answered;
}
