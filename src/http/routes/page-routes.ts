import {join} from 'node:path';
import {AppError} from '../../core/failures/app-error.ts';
import {adviseOnError, statusOf} from '../../core/failures/facts.ts';
import {headerPairs} from '../../core/protocol/headers/raw-headers.ts';
import {answer, type HttpAnswer, openedWebSocket, redirect, WINDOW_HEADERS} from '../core/message.ts';
import type {Call, Route, RouteHandler} from '../core/route.ts';
import {CONSOLE_NAME, SCHEME, WEBPACK_SOCKET} from '../core/sites.ts';
import {answerFile, type FileAnswerOptions, findFile, type Rewrite} from '../files/file-answer.ts';
import type {PageServer} from '../proxy/page-server.ts';
import {answerCard, isNavigation, isOpenedFromOutside} from './opening-card.ts';
import {createTemplate} from './page-template.ts';
import {hostOf, isMoved, portOf, replacePublishedAddress} from './published-address.ts';
import type {RoutesDeps} from './routes-deps.ts';

type PageParts = Pick<RoutesDeps, 'plugins' | 'allowedOrigins' | 'pageServer' | 'accessMode'>;

/** `/plugins/{id}/…`: files of the page of a plugin. */
export function pageRoutes(deps: PageParts): readonly Route[] {
  // Pages refer to their files relative to a path that ends in a slash.
  const redirects: Route = {path: '/plugins/{id}', needs: 'nothing', GET: call => redirect(targetOf(call))};
  const files = {path: '/plugins/{id}/{path...}', needs: 'nothing'} as const;
  const {pageServer} = deps;
  const show =
    (answerCall: (call: Call) => Promise<HttpAnswer>): RouteHandler =>
    async call => {
      await deps.plugins.looked();
      const card = findCard(call, deps);
      if (card !== undefined) return card;
      if (!isNavigation(call.request.rawHeaders)) return answerCall(call);
      deps.plugins.find(call.segments[0] ?? '')?.notePage();
      return uncached(answerCall(call));
    };
  if (pageServer === undefined) return [redirects, {...files, GET: show(call => answerPage(call, deps))}];
  return [
    redirects,
    {
      ...files,
      GET: show(call => forwardPage(call, pageServer, deps)),
      webSocket: call => connect(call, pageServer, deps),
    },
    {
      path: WEBPACK_SOCKET,
      needs: 'nothing',
      webSocket: async ({request}) => openedWebSocket(await pageServer.connect(request, WEBPACK_SOCKET)),
    },
  ];
}

/** Returns the page that asks the user before a page of a plugin is shown; undefined if there is nothing to ask. */
function findCard({request, segments: [id = '']}: Call, {plugins, accessMode}: PageParts): HttpAnswer | undefined {
  if (!isOpenedFromOutside(request)) return undefined;
  const plugin = plugins.list().find(each => each.id === id && each.hasPage);
  if (plugin === undefined) return undefined;
  // At the names that all pages share, no request is known to be of this one. In `strict` the service knows whom it refuses, and names the console.
  const leads = accessMode !== 'open' && plugin.label !== undefined && SHARED_NAME.test(hostOf(request));
  return answerCard(plugin, leads ? `${SCHEME}${plugin.label}.${CONSOLE_NAME}:${portOf(hostOf(request))}` : undefined);
}

/** Loopback names with a port. */
const SHARED_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/i;

/** Keeps an answer out of the cache of the browser, which would go back to it, with any fragment, without asking the service. */
async function uncached(answered: Promise<HttpAnswer>): Promise<HttpAnswer> {
  const {rawHeaders, ...rest} = await answered;
  const others = [...headerPairs(rawHeaders)].filter(([name]) => name.toLowerCase() !== 'cache-control');
  return {...rest, rawHeaders: [...others.flat(), 'Cache-Control', 'no-store']};
}

async function forwardPage(call: Call, pageServer: PageServer, deps: PageParts): Promise<HttpAnswer> {
  if (!isForwarded(call, deps)) return answerPage(call, deps);
  const {rawHeaders, rewrite} = optionsFor(call, deps);
  try {
    return await pageServer.forward(call.request, targetOf(call), {rawHeaders, rewrite: rewrite?.apply});
  } catch (error) {
    const isShown = isNavigation(call.request.rawHeaders) && error instanceof AppError;
    if (!isShown || error.failure?.code !== 'dev-server-failed') throw error;
    return answerMissingServer(error, rawHeaders);
  }
}

async function connect(call: Call, pageServer: PageServer, deps: PageParts): Promise<HttpAnswer> {
  if (!isForwarded(call, deps)) throw notFound(call.segments);
  return openedWebSocket(await pageServer.connect(call.request, targetOf(call)));
}

/**
 * Returns whether a path is below the page of a plugin in development. No path leads above it on the dev server, even if that server
 * decodes separators.
 */
function isForwarded({segments: [id = '', path = '']}: Call, {plugins}: PageParts): boolean {
  const isPage = plugins.list().some(each => each.id === id && each.inDevelopment && each.hasPage);
  return isPage && /^[\x21-\x7e]*$/.test(path) && !DOT_SEGMENT.test(path);
}

const DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\]|%2f|%5c|$)/i;

/** Returns the path and the query of a request, as they were sent. */
function targetOf({segments: [id = '', path = ''], query}: Call): string {
  return `/plugins/${id}/${path}${query === '' ? '' : `?${query}`}`;
}

async function answerPage(call: Call, deps: PageParts): Promise<HttpAnswer> {
  const {request, segments} = call;
  const [id = '', path = ''] = segments;
  const directory = deps.plugins.find(id)?.pageDirectory;
  if (directory === undefined) throw notFound(segments);
  const options = optionsFor(call, deps);
  const asked = path === '' ? join(directory, 'index.html') : await findFile(directory, path);
  const answered = await answerFile(request, asked, options);
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

function optionsFor(
  {request, segments: [id], query}: Call,
  {allowedOrigins, plugins}: PageParts,
): Required<Pick<FileAnswerOptions, 'rawHeaders' | 'rewrite'>> {
  const host = hostOf(request);
  const rawHeaders = [...policyOf(host, allowedOrigins.list().allowed), ...WINDOW_HEADERS];
  // Not on the port that published pages expect.
  const rewrite = isMoved(host)
    ? {name: host.toLowerCase(), apply: (text: string) => replacePublishedAddress(text, host)}
    : undefined;
  if (!isNavigation(request.rawHeaders)) return {rawHeaders, rewrite};
  const reportsErrors = plugins.list().some(each => each.id === id && each.inDevelopment);
  return {rawHeaders, rewrite: withScripts(rewrite, {reportsErrors, isDark: DARK.test(query)})};
}

/** The query by which the page of a plugin is told that its window is dark. */
const DARK = /(?:^|&)darkmode=true(?:&|$)/;

/** Allows pages of this service, under each of its names, and of allowed origins to frame a page. */
function policyOf(host: string, allowedOrigins: readonly string[]): readonly string[] {
  const port = portOf(host);
  const own = ["'self'", `http://localhost:${port}`, `http://127.0.0.1:${port}`, `http://${CONSOLE_NAME}:${port}`];
  return ['Content-Security-Policy', `frame-ancestors ${[...own, ...allowedOrigins].join(' ')}`];
}

/** Pause until the page is loaded again, in seconds. */
const RETRY_SECONDS = 2;

/**
 * Creates the page that stands in for that of a dev server that does not answer, and that is loaded again until it does. With the status of the failure.
 *
 * @param rawHeaders Further headers, such as a policy that says what may frame it.
 */
function answerMissingServer(error: AppError, rawHeaders: readonly string[]): HttpAnswer {
  const page = PAGE();
  return answer(page.fill({message: error.message, advice: adviseOnError(error)}), {
    status: statusOf(error),
    contentType: 'text/html; charset=utf-8',
    rawHeaders: ['Content-Security-Policy', page.policy, 'Refresh', String(RETRY_SECONDS), ...rawHeaders],
  });
}

const PAGE = createTemplate('missing-server.html');

/** Scripts that the documents of a page get. */
interface PageScripts {
  /** Reports the errors of the page. */
  readonly reportsErrors: boolean;
  /** Gives a page without colours a white ground in a dark window. */
  readonly isDark: boolean;
}

/** Returns a rewrite that also puts scripts into a document of a page, and moves no line of it. */
export function withScripts(rewrite: Rewrite | undefined, {reportsErrors, isDark}: PageScripts): Rewrite | undefined {
  if (!reportsErrors && !isDark) return rewrite;
  const scripts = `${reportsErrors ? REPORTER : ''}${isDark ? WHITENER : ''}`;
  const apply = (text: string): string => (rewrite?.apply(text) ?? text).replace(DOCTYPE, found => found + scripts);
  return {name: `${rewrite?.name ?? ''}${reportsErrors ? '-dev' : ''}${isDark ? '-dark' : ''}`, apply};
}

/** The document type, after a byte order mark as Latin-1, after which a parser takes a script as the first element of the head. */
const DOCTYPE = /^(?:\xef\xbb\xbf)?\s*<!doctype html[^>]*>/i;

/**
 * Reports what throws, and rejects unhandled, as a line of the log with the first place in the files of the page, at most ten times. Its own
 * `fetch`: a page may replace that of the window. Short, so that a declaration of the encoding stays within the first 1,024 bytes.
 */
const REPORTER = asScript(`()=>{const{fetch}=window;let n=0
const place=t=>{const m=/\\/plugins\\/[^/]+\\/([^\\s?#()]*?)(?:\\?[^\\s:()]*)?:(\\d+)(?::\\d+)?/.exec(t||'');return m?(m[1]||'index.html')+':'+m[2]:''}
const report=(e,at)=>{if(e==null||n++>9)return
fetch('/api/log',{method:'POST',keepalive:true,body:JSON.stringify({level:'error',message:String(e).slice(0,2000),pageErrorPlace:place(e.stack)||place(at)})}).catch(()=>{})}
addEventListener('error',e=>report(e.error,e.filename+':'+e.lineno))
addEventListener('unhandledrejection',e=>report(e.reason))}`);

/**
 * Bodies of published pages are transparent, and their texts light in the dark: such a page stays as it is. One whose texts on the ground of the window
 * are all dark has no colours of its own, and gets the white ground that it has by itself. Judged once, when the first such text is there.
 */
const WHITENER = asScript(`()=>{if(parent===window)return;let looks=20
const isClear=e=>{const s=getComputedStyle(e);return s.backgroundImage==='none'&&/, 0\\)$/.test(s.backgroundColor)}
const isDark=e=>{const c=/^rgba?\\((\\d+), (\\d+), (\\d+)/.exec(getComputedStyle(e).color);return!!c&&c[1]*.3+c[2]*.6+c[3]*.1<128}
const judge=()=>{const w=document.createTreeWalker(document.body,4),on=[];let n
while((n=w.nextNode())&&on.length<200){let e=n.parentElement;if(!n.data.trim()||!e.getClientRects().length)continue
while(e&&isClear(e))e=e.parentElement
if(!e)on.push(n.parentElement)}
if(on.length&&on.every(isDark))document.documentElement.style.background='#fff'
return on.length||!--looks}
addEventListener('load',()=>{if(!judge())new MutationObserver((_,o)=>{if(judge())o.disconnect()}).observe(document,{childList:true,subtree:true,characterData:true})})}`);

function asScript(text: string): string {
  return `<script>(${text.replaceAll('\n', ';')})()</script>`;
}
