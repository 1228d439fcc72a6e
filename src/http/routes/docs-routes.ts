import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {AppError} from '../../failures/app-error.ts';
import {answer, type HttpAnswer, WINDOW_HEADERS} from '../core/message.ts';
import type {Call, Route, RouteHandler} from '../core/route.ts';
import {answerFile} from '../files/file-answer.ts';
import {findFile} from '../files/find-file.ts';
import {assertNoQuery} from './no-query.ts';

/** The page and its resources; the build copies those of Swagger UI into the same folder. */
const PAGE_FILES = [
  {path: '/docs', file: 'index.html', contentType: 'text/html; charset=utf-8'},
  {path: '/docs/page.js', file: 'page.js', contentType: 'text/javascript; charset=utf-8'},
  {path: '/docs/page.css', file: 'page.css', contentType: 'text/css; charset=utf-8'},
  {path: '/docs/text.css', file: 'text.css', contentType: 'text/css; charset=utf-8'},
  {path: '/docs/swagger-ui-bundle.js', file: 'swagger-ui-bundle.js', contentType: 'text/javascript; charset=utf-8'},
  {path: '/docs/swagger-ui.css', file: 'swagger-ui.css', contentType: 'text/css; charset=utf-8'},
] as const;

/** The OpenAPI document: the build writes it. It contains no limit that a start can change. */
const OPENAPI_FILE = new URL('../../../dist/openapi.json', import.meta.url);

/** The guides, references and failures as pages: `dist/docs/`, seen from the sources and from the built files alike. */
const DOCS_FOLDER = fileURLToPath(new URL('../../../dist/docs/', import.meta.url));

/** Addresses of these pages, and their folders below that one. */
const TEXT_FOLDERS = [
  {path: '/docs/{name}', folder: ''},
  {path: '/docs/guides/{name}', folder: 'guides/'},
  {path: '/docs/errors/{code}', folder: 'errors/'},
] as const;

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

/** `/openapi.json`, `/docs` and what is below it: paths that browsers may open from any link. */
export function docsRoutes(): readonly Route[] {
  const document = createdOnce(async () =>
    answer(await readFile(OPENAPI_FILE), {rawHeaders: [...UNFRAMED, ...WINDOW_HEADERS]}),
  );
  const pages = PAGE_FILES.map(({path, file, contentType}): Route => {
    const page = createdOnce(async () => {
      const content = await readFile(new URL(`../docs-page/${file}`, import.meta.url));
      return answer(content, {contentType, rawHeaders: ['Content-Security-Policy', PAGE_POLICY, ...WINDOW_HEADERS]});
    });
    return {path, needs: 'nothing', GET: page};
  });
  const texts = TEXT_FOLDERS.map(
    ({path, folder}): Route => ({path, needs: 'nothing', GET: call => answerText(call, folder)}),
  );
  return [{path: '/openapi.json', needs: 'nothing', GET: document}, ...pages, ...texts];
}

/** Answers with a page of text, or with a picture in one. */
async function answerText({request, segments: [name = ''], query}: Call, folder: string): Promise<HttpAnswer> {
  assertNoQuery(query);
  const path = `${folder}${name}`;
  const file = await findFile(DOCS_FOLDER, /\.(?:svg|png)$/.test(name) ? path : `${path}.html`);
  const rawHeaders = ['Content-Security-Policy', PAGE_POLICY, ...WINDOW_HEADERS];
  const answered = file === undefined ? undefined : await answerFile(request, file, {rawHeaders});
  if (answered === undefined) throw new AppError({code: 'no-resource', path: `/docs/${path}`.slice(0, 100)});
  return answered;
}

/** Creates an answer on the first request and reuses it afterwards. */
function createdOnce(make: () => Promise<HttpAnswer>): RouteHandler {
  const made = memoize(make);
  return ({query}) => {
    assertNoQuery(query);
    return made();
  };
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
