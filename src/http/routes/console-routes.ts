import {fileURLToPath} from 'node:url';
import {AppError} from '../../failures/app-error.ts';
import {headerValues} from '../../protocol/headers/raw-headers.ts';
import {type HttpAnswer, type HttpRequest, WINDOW_HEADERS} from '../core/message.ts';
import type {Call, Route} from '../core/route.ts';
import {CONSOLE_NAME} from '../core/sites.ts';
import {answerFile} from '../files/file-answer.ts';
import {findFile} from '../files/find-file.ts';
import {assertNoQuery} from './no-query.ts';
import {hostOf, isBelowConsole, portOf} from './published-address.ts';

/** The built console: `dist/console/`, seen from the sources and from the built files alike. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../../dist/console/', import.meta.url));

/**
 * Policy of the console. It runs its own scripts and styles only, and talks to this service only.
 *
 * - Images of other hosts, such as the logo of an airline and the avatar of a pilot, are not loaded: each of them would tell a
 *   third party whenever the console is opened, and fail without a network.
 * - Sounds may come from anywhere: a plugin asks for them, and its code may call any host by itself.
 */
function policyOf(host: string): string {
  const port = /:\d+$/.exec(host)?.[0] ?? '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    // Under another name it asks whether its own one is resolved.
    `connect-src 'self' http://${CONSOLE_NAME}${port}`,
    "media-src 'self' data: http: https:",
    `frame-src 'self' http://*.${CONSOLE_NAME}${port}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `/`, the page of the console, and `/console/…`, the files that it loads. It contains no data. */
export function consoleRoutes(): readonly Route[] {
  return [
    {
      path: '/',
      needs: 'nothing',
      operations: {GET: call => answerConsole(call, 'index.html', openerHeaders(call.request))},
    },
    {
      path: '/console/{path...}',
      needs: 'nothing',
      operations: {GET: call => answerConsole(call, call.segments[0] ?? '')},
    },
  ];
}

/**
 * Marks a page that another site opened. That site chose the fragment of the address as well, which names a plugin, and pages of plugins act
 * without a click: the console asks before it shows one. A script reads the mark in the entry of its navigation (Server Timing, W3C).
 */
function openerHeaders(request: HttpRequest): readonly string[] {
  const host = hostOf(request);
  const own = isBelowConsole(host) ? [host, ...SERVICE_NAMES.map(name => `${name}:${portOf(host)}`)] : [host];
  const referers = headerValues(request.rawHeaders, 'referer').filter(referer => referer !== '');
  const isForeignReferer = referers.some(referer => !own.some(each => referer.startsWith(`http://${each}/`)));
  // The console under another name of the service leads to its own one. For browsers that is another site.
  const isOwnReferer =
    referers.length > 0 && !isForeignReferer && !referers.some(each => each.startsWith(`http://${host}/`));
  const isForeignSite = headerValues(request.rawHeaders, 'sec-fetch-site').some(
    site => site !== 'same-origin' && site !== 'none',
  );
  // Never absent: a browser that has the page already keeps the headers that an answer 304 does not replace.
  const isForeign = isForeignReferer || (isForeignSite && !isOwnReferer);
  return ['Server-Timing', isForeign ? 'opened-by-other-site' : 'opened-by-user'];
}

/** Names of the service at which the console leads to its own name. */
const SERVICE_NAMES = ['localhost', '127.0.0.1', '[::1]'];

async function answerConsole(
  {request, query}: Call,
  path: string,
  further: readonly string[] = [],
): Promise<HttpAnswer> {
  assertNoQuery(query);
  const file = await findFile(CONSOLE_FOLDER, path);
  const answered =
    file === undefined
      ? undefined
      : await answerFile(request, file, {
          rawHeaders: ['Content-Security-Policy', policyOf(hostOf(request)), ...WINDOW_HEADERS, ...further],
        });
  if (answered === undefined) throw new AppError({code: 'no-resource', path: `/console/${path}`.slice(0, 100)});
  return answered;
}
