import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {AppError} from '../../failures/app-error.ts';
import {answer, type HttpAnswer, WINDOW_HEADERS} from '../core/message.ts';
import type {Call, Route, RouteHandler} from '../core/route.ts';
import {answerFile} from '../files/file-answer.ts';
import {findFile} from '../files/find-file.ts';
import {assertNoQuery} from './no-query.ts';

/** The OpenAPI document: the build writes it. It contains no limit that a start can change. */
const OPENAPI_FILE = new URL('../../../dist/openapi.json', import.meta.url);

/** The pages of the documentation, which the build renders, with their scripts and styles: `dist/docs/`, seen from the sources and from the built files alike. */
const DOCS_FOLDER = fileURLToPath(new URL('../../../dist/docs/', import.meta.url));

/** Addresses of these pages, and their folders below that one. */
const PAGE_FOLDERS = [
  {path: '/docs', folder: ''},
  {path: '/docs/{name}', folder: ''},
  {path: '/docs/guides/{name}', folder: 'guides/'},
  {path: '/docs/errors/{code}', folder: 'errors/'},
] as const;

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

/** `/openapi.json`, `/docs` and what is below it: paths that browsers may open from any link. */
export function docsRoutes(): readonly Route[] {
  const read = memoize(async () =>
    answer(await readFile(OPENAPI_FILE), {rawHeaders: [...UNFRAMED, ...WINDOW_HEADERS]}),
  );
  const document: RouteHandler = ({query}) => {
    assertNoQuery(query);
    return read();
  };
  const pages = PAGE_FOLDERS.map(
    ({path, folder}): Route => ({path, needs: 'nothing', GET: call => answerPage(call, folder)}),
  );
  return [{path: '/openapi.json', needs: 'nothing', GET: document}, ...pages];
}

/** Answers with a page, or with a file that pages load. */
async function answerPage({request, segments: [name = 'index'], query}: Call, folder: string): Promise<HttpAnswer> {
  assertNoQuery(query);
  const path = `${folder}${name}`;
  const file = await findFile(DOCS_FOLDER, RESOURCE.test(name) ? path : `${path}.html`);
  const rawHeaders = ['Content-Security-Policy', PAGE_POLICY, ...WINDOW_HEADERS];
  const answered = file === undefined ? undefined : await answerFile(request, file, {rawHeaders});
  if (answered === undefined) throw new AppError({code: 'no-resource', path: `/docs/${path}`.slice(0, 100)});
  return answered;
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
