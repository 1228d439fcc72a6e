import {readFile} from 'node:fs/promises';
import {answer, type HttpAnswer, redirect, WINDOW_HEADERS} from '../core/message.ts';
import type {Operation, Route} from '../core/route.ts';
import type {JsonObject} from '../openapi/document.ts';
import {refuseQuery} from './no-query.ts';

/** What the routes of the documentation need. */
export interface DocsRoutesDeps {
  readonly version: string;
  /** The JSON Schema of the identity document; asked for when somebody reads the documentation. */
  readonly identitySchema: () => Promise<JsonObject>;
}

/** The page and what it loads; the build puts the files of Swagger UI beside ours. */
const PAGE_FILES = [
  {path: '/docs', file: 'index.html', contentType: 'text/html; charset=utf-8'},
  {path: '/docs/page.js', file: 'page.js', contentType: 'text/javascript; charset=utf-8'},
  {path: '/docs/page.css', file: 'page.css', contentType: 'text/css; charset=utf-8'},
  {path: '/docs/swagger-ui-bundle.js', file: 'swagger-ui-bundle.js', contentType: 'text/javascript; charset=utf-8'},
  {path: '/docs/swagger-ui.css', file: 'swagger-ui.css', contentType: 'text/css; charset=utf-8'},
] as const;

/**
 * The page runs only what comes from here, and calls nobody else. The page draws its arrows with images
 * in its style sheet (`data:`).
 */
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

/** No other page may show it within itself. */
const UNFRAMED = ['Content-Security-Policy', "frame-ancestors 'none'"];

/** `/openapi.json` and `/docs`, and `/`, which leads there: what the guard lets browsers open, wherever a link to it stands. */
export function docsRoutes({version, identitySchema}: DocsRoutesDeps): readonly Route[] {
  const document = madeOnce(async () => {
    // Loaded on demand: the schema library takes longer to load than the rest of the service to start.
    const {buildOpenApi} = await import('../openapi/document.ts');
    const content = JSON.stringify(buildOpenApi({version, identitySchema: await identitySchema()}));
    return answer(content, {rawHeaders: [...UNFRAMED, ...WINDOW_HEADERS]});
  });
  const pages = PAGE_FILES.map(({path, file, contentType}): Route => {
    const page = madeOnce(async () => {
      const content = await readFile(new URL(`../docs-page/${file}`, import.meta.url));
      return answer(content, {contentType, rawHeaders: ['Content-Security-Policy', PAGE_POLICY, ...WINDOW_HEADERS]});
    });
    return {path, operations: {GET: page}};
  });
  const start: Operation = ({query}) => {
    refuseQuery(query);
    return toDocs;
  };
  return [{path: '/', operations: {GET: start}}, {path: '/openapi.json', operations: {GET: document}}, ...pages];
}

/** Until there is a page of its own. */
const toDocs = redirect(302, '/docs', UNFRAMED);

/** An answer that is made when it is first asked for, and then stays. */
function madeOnce(make: () => Promise<HttpAnswer>): Operation {
  let made: Promise<HttpAnswer> | undefined;
  return ({query}) => {
    refuseQuery(query);
    made ??= make().catch(error => {
      // What failed once may work the next time.
      made = undefined;
      throw error;
    });
    return made;
  };
}
