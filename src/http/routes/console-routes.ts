import {CORE_SETTINGS, type UserSettings} from '../../core/domain/plugins/user-settings.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {headerPairs, headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {PROCESS_TIMERS} from '../../core/time/timers.ts';
import {within} from '../../core/time/wait.ts';
import {type HttpAnswer, type HttpRequest, redirect, WINDOW_HEADERS} from '../core/message.ts';
import type {Call, Route} from '../core/route.ts';
import {CONSOLE_NAME, isLoopbackName, SCHEME} from '../core/sites.ts';
import {
  answerFile,
  createGzippedFiles,
  type FileAnswerOptions,
  findFile,
  REWRITTEN_BYTES_MAX,
  type Rewrite,
} from '../files/file-answer.ts';
import {isOpenedByOtherPage} from './opening-card.ts';
import {CONSOLE_FOLDER} from './page-template.ts';
import {hostOf} from './published-address.ts';
import {assertNoQuery} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';

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
    // The page that leads to the console's own name has an empty icon, or browsers would ask for it at both names.
    `img-src 'self'${isLoopbackName(host) ? ' data:' : ''}`,
    // Under another name it asks whether its own one is resolved.
    `connect-src 'self' http://${CONSOLE_NAME}${port}`,
    "media-src 'self' data: http: https:",
    `frame-src 'self' http://*.${CONSOLE_NAME}${port}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

type ConsoleRoutesDeps = Pick<RoutesDeps, 'settings' | 'command' | 'trialPilot'>;

/**
 * `/`, the page of the console, and `/console/…`, the files that it loads. It contains no data.
 *
 * At the loopback names `/` leads to the console's own name: at once where the browser is known to resolve that, and otherwise by a page of two small
 * files, which tries it.
 */
export function consoleRoutes({settings, ...hints}: ConsoleRoutesDeps): readonly Route[] {
  const gzipped = createGzippedFiles(REWRITTEN_BYTES_MAX);
  return [
    {
      path: '/',
      needs: 'nothing',
      GET: async call => {
        const host = hostOf(call.request);
        assertNoQuery(call.query);
        if (resolvesConsoleName(call.request)) return redirect(`${SCHEME}${host.replace(LOCALHOST, CONSOLE_NAME)}/`);
        const page = isLoopbackName(host) ? 'entrance.html' : 'index.html';
        const rawHeaders = markHeaders(call.request, hints);
        return answerConsole(call, page, {rawHeaders, rewrite: await readTheme(settings), gzipped});
      },
    },
    {
      path: '/console/{path...}',
      needs: 'nothing',
      GET: call => answerConsole(call, call.segments[0] ?? '', {gzipped}),
    },
  ];
}

const LOCALHOST = /^localhost(?=:|$)/i;

/**
 * Returns whether the console's name leads the window that asks for a page to where `localhost` led it. It does in browsers of Chromium, which alone
 * send `Sec-CH-UA`: they take each name below `localhost` for the loopback addresses, as `localhost` itself, without asking the system. Not through a
 * proxy that says so: the browser may know the service by a name of which only the proxy knows.
 */
function resolvesConsoleName({rawHeaders}: HttpRequest): boolean {
  const isWindow = headerValues(rawHeaders, 'sec-fetch-dest').join() === 'document';
  const isKnown = isWindow && headerValues(rawHeaders, 'sec-ch-ua').length > 0 && LOCALHOST.test(hostOf({rawHeaders}));
  return isKnown && ![...headerPairs(rawHeaders)].some(([name]) => OF_PROXIES.test(name));
}

/** Headers that proxies add (RFC 9110 section 7.6.3, RFC 7239), and those that were common before. */
const OF_PROXIES = /^(?:forwarded|via|x-forwarded-.*)$/i;

/** Theme of the pages as they are built: that of the system. */
const SYSTEM_THEME = 'content="light dark"';

/** Longest wait for the theme, in milliseconds: an absent store answers after its own timeout; the page shows why. */
const THEME_TIMEOUT_MS = 200;

/**
 * Returns the change that makes a page begin with the theme that the user has chosen, before any script runs; undefined for that of the system, also
 * while the store does not answer.
 */
async function readTheme(settings: Pick<UserSettings, 'get'>): Promise<Rewrite | undefined> {
  try {
    const stored = await within(settings.get(CORE_SETTINGS), THEME_TIMEOUT_MS, PROCESS_TIMERS);
    if (stored === undefined) return undefined;
    const {darkMode, darkWithSystem} = stored;
    if (darkMode !== true && darkWithSystem === true) return undefined;
    const theme = darkMode === true ? 'dark' : 'light';
    return {name: theme, apply: text => text.replace(SYSTEM_THEME, `content="${theme}"`)};
  } catch (error) {
    // The page shows why the store does not answer.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/**
 * Marks what opened the console. If no page of its own origin did, a page of another site may be behind it, which then chose the fragment of the
 * address, and with it the plugin to show: the console asks first. If the browser shows that another page did, the console drops the token of the owner,
 * which a window gets from the one that opened it. Other marks name the command of its hints, and a pilot
 * whom it offers to sign in. Scripts read them in the entry of the navigation (Server Timing, W3C).
 */
function markHeaders(
  request: HttpRequest,
  {command, trialPilot}: Omit<ConsoleRoutesDeps, 'settings'>,
): readonly string[] {
  const isOwn = headerValues(request.rawHeaders, 'sec-fetch-site').join() === 'same-origin';
  const opener = isOwn ? 'opened-by-own-page' : 'opened-from-outside';
  const other = isOpenedByOtherPage(request) ? ['opened-by-other-page'] : [];
  const trial =
    trialPilot === undefined ? [] : [`trial-pilot;desc="${encodeURIComponent(JSON.stringify(trialPilot))}"`];
  // Never absent: a browser that has the page already keeps the headers that an answer 304 does not replace.
  return ['Server-Timing', [opener, ...other, `command;desc="${command}"`, ...trial].join(', ')];
}

async function answerConsole(
  {request, query}: Call,
  path: string,
  {rawHeaders = [], ...options}: Omit<FileAnswerOptions, 'status'>,
): Promise<HttpAnswer> {
  assertNoQuery(query);
  const file = await findFile(CONSOLE_FOLDER, path);
  const policy = ['Content-Security-Policy', policyOf(hostOf(request)), ...WINDOW_HEADERS];
  const answered = await answerFile(request, file, {rawHeaders: [...policy, ...rawHeaders], ...options});
  if (answered === undefined) throw new AppError({code: 'no-resource', path: `/console/${path}`.slice(0, 100)});
  return answered;
}
