import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {AppError} from '../../core/failures/app-error.ts';
import {headerValues} from '../../core/protocol/headers/raw-headers.ts';
import {emptyAnswer, type HttpAnswer, type HttpRequest, redirect, WINDOW_HEADERS} from '../core/message.ts';
import type {Call, Route, RouteHandler} from '../core/route.ts';
import {CLIENT_MODULE, CONSOLE_NAME, DEVTOOLS_FILE, isBelowConsole, SCHEME} from '../core/sites.ts';
import {taggedAnswer} from '../core/tagged-answer.ts';
import {answerFile, findFile} from '../files/file-answer.ts';
import {isNavigation, isOpenedByOtherPage} from './opening-card.ts';
import {hostOf, portOf} from './published-address.ts';
import {assertNoQuery} from './read-parameters.ts';

/** The OpenAPI document: the build writes it. It contains no limit that a start can change. */
const OPENAPI_FILE = new URL('../../../dist/openapi.json', import.meta.url);

/** The client as one module, for pages that need no build. */
const CLIENT_FILE = fileURLToPath(new URL('../../../dist/page-client.js', import.meta.url));

/** The pages of the documentation, which the build renders, with their scripts and styles: `dist/docs/`, seen from the sources and from the built files alike. */
const DOCS_FOLDER = fileURLToPath(new URL('../../../dist/docs/', import.meta.url));

/** Addresses of these pages, and their folders below that one. */
const PAGE_FOLDERS = [
  {path: '/docs', folder: ''},
  {path: '/docs/{name}', folder: ''},
  {path: '/docs/guides/{name}', folder: 'guides/'},
  {path: '/docs/errors/{code}', folder: 'errors/'},
] as const;

/** The page at an address without one. */
const MISSING_FILE = fileURLToPath(new URL('../../../dist/missing-page.html', import.meta.url));

/** Names of files that are not pages: the pages load them. */
const RESOURCE = /\.(?:css|js|json|svg|png)$/;

/** Allows scripts and requests of this origin only. The style sheet of Swagger UI has images as `data:` URLs. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Forbids other pages to frame an answer. */
const UNFRAMED = ['Content-Security-Policy', "frame-ancestors 'none'"];

/** `/openapi.json`, `/docs` and what is below it, which browsers may open from any link; and `/client.js`, under the same rules as all else. */
export function docsRoutes(): readonly Route[] {
  const read = memoize(async () =>
    taggedAnswer(await readFile(OPENAPI_FILE), {rawHeaders: [...UNFRAMED, ...WINDOW_HEADERS]}),
  );
  const document: RouteHandler = async ({request, query}) => {
    assertNoQuery(query);
    return (await read())(request.headers);
  };
  const pages = PAGE_FOLDERS.map(
    ({path, folder}): Route => ({path, needs: 'nothing', GET: call => answerPage(call, folder)}),
  );
  return [
    {path: '/openapi.json', needs: 'nothing', GET: document},
    ...pages,
    {path: CLIENT_MODULE, needs: 'nothing', GET: answerClient},
    // No failure, which the terminal would show.
    {path: DEVTOOLS_FILE, needs: 'nothing', GET: () => emptyAnswer(404, ['Content-Length', '0'])},
  ];
}

async function answerClient({request, query}: Call): Promise<HttpAnswer> {
  assertNoQuery(query);
  const answered = await answerFile(request, CLIENT_FILE, {rawHeaders: WINDOW_HEADERS});
  if (answered === undefined) throw new AppError({code: 'no-resource', path: CLIENT_MODULE});
  return answered;
}

/** Answers with a page, or with a file that pages load. */
async function answerPage({request, segments: [name = 'index'], query}: Call, folder: string): Promise<HttpAnswer> {
  assertNoQuery(query);
  const path = `${folder}${name}`;
  const host = hostOf(request);
  // A window keeps what it got from the one that opened it, such as the token of the owner, and these pages lead to the console.
  if (isBelowConsole(host) && isOpenedByOtherPage(request))
    return redirect(`${SCHEME}localhost:${portOf(host)}/docs/${path}`);
  const file = await findFile(DOCS_FOLDER, RESOURCE.test(name) ? path : `${path}.html`);
  const rawHeaders = ['Content-Security-Policy', PAGE_POLICY, ...WINDOW_HEADERS];
  const answered = await answerFile(request, file, {rawHeaders});
  if (answered === undefined) throw new AppError({code: 'no-resource', path: `/docs/${path}`.slice(0, 100)});
  return answered;
}

/** Shows a page with the search to a person who opens an address without a page. @returns Undefined for all other requests. */
export function answerMissingPage(request: HttpRequest, status: number): Promise<HttpAnswer | undefined> | undefined {
  const {method, target, rawHeaders: sent} = request;
  const host = hostOf(request);
  // At the hosts of plugins there is no documentation. A window that another page opened is led to no console, as in {@link answerPage}.
  const isKept = isBelowConsole(host) && isOpenedByOtherPage(request);
  const isOfPlugin = host.toLowerCase().includes(`.${CONSOLE_NAME}`);
  const inFrame = headerValues(sent, 'sec-fetch-dest').includes('iframe');
  const isPage = method === 'GET' && /^\/(?!api\/)/.test(target) && isNavigation(sent);
  if (!isPage || isOfPlugin || isKept || inFrame) return undefined;
  const rawHeaders = ['Content-Security-Policy', PAGE_POLICY, ...WINDOW_HEADERS];
  return answerFile(request, MISSING_FILE, {rawHeaders, status});
}

/** Memoizes an asynchronous function without parameters: calls it once, and again only after it failed. */
export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch(error => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
