// Renders docs/ as pages that the service shows without a network: the guides, the references, and a page for each failure code.
import {cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {STATUS_CODES} from 'node:http';
import {createRequire} from 'node:module';
import {dirname, join, posix} from 'node:path';
import {pathToFileURL} from 'node:url';
import {build as bundle} from 'esbuild';
import {CONTENTS, readContents, titleOf} from './docs-contents.js';
import {renderPage, renderText} from './docs-page.js';
import {makeSearchIndex} from './docs-search.js';

/** The address at which the guides expect the service. Links to it lead to the service that shows the page. */
const OWN_ADDRESS = /^http:\/\/localhost:7172(?=\/)/;

/** Text of the page at an address without one. */
const MISSING = `<h1>There is no such page</h1>
<p>The address may be mistyped. Search above, begin at <a href="/docs">the docs</a>, or open <a href="/">the console</a>.</p>\n`;

/** Page with all requests, to try: Swagger UI renders it. */
const EXPLORER = {title: 'API explorer', address: '/docs/api'};

/**
 * Renders all pages into the folder `docs` of a build, as `NAME.html`, with the scripts and styles that they load, and the index of the
 * search. Links between pages lead to `/docs/NAME`; of links to other files of the repository only the text stays.
 *
 * @param {string} root Path of the repository.
 * @param {string} built Path of the built service, which has the failures.
 */
export async function writeDocs(root, built) {
  const texts = await readTexts(root, built);
  const target = join(built, 'docs');
  for (const folder of ['guides', 'errors']) mkdirSync(join(target, folder), {recursive: true});
  const contents = listContents(texts);
  const pages = Object.entries(texts).map(([name, text]) => ({
    name,
    title: titleOf(text),
    address: addressOf(name),
    html: renderText(text, href => findTarget(name, href, texts)),
  }));
  for (const page of pages) {
    writeFileSync(join(target, fileOf(page.name)), renderPage(page, contents));
    copyPictures(join(root, 'docs', dirname(page.name)), texts[page.name], join(target, dirname(page.name)));
  }
  const missing = {title: 'There is no such page', address: '', html: MISSING};
  writeFileSync(join(built, 'missing-page.html'), renderPage(missing, contents));
  writeFileSync(join(target, 'search.json'), makeSearchIndex(describePages(pages, texts)));
  await writeScripts(join(root, 'src', 'http', 'docs-page'), target, contents);
}

/** Reads the pages in `docs/` and in `docs/guides/`, by their names, and writes those of failures. */
async function readTexts(root, built) {
  const folder = join(root, 'docs');
  const names = [...readdirSync(folder), ...readdirSync(join(folder, 'guides')).map(name => `guides/${name}`)];
  const pages = names.filter(name => name.endsWith('.md')).sort();
  const texts = Object.fromEntries(pages.map(name => [name, readFileSync(join(folder, name), 'utf8')]));
  const failures = await readFailures(built);
  return {
    ...texts,
    'errors.md': `${texts['errors.md']}\n${formatCodes(failures)}`,
    ...Object.fromEntries(failures.map(failure => [`errors/${failure.code}.md`, formatFailurePage(failure)])),
  };
}

/** Reads the rows of all failures from the built service. */
async function readFailures(built) {
  const load = path => import(pathToFileURL(join(built, path)).href);
  const {ROWS} = await load('core/failures/rows/rows.js');
  const {adviseOnCode} = await load('core/failures/facts.js');
  return Object.entries(ROWS).map(([code, row]) => ({
    ...row,
    code,
    title: STATUS_CODES[row.status],
    advice: adviseOnCode(code),
  }));
}

/** Formats the page of a failure, the address of which is the `type` of its problem document. */
function formatFailurePage({code, status, title, when, advice}) {
  const sent =
    status === undefined
      ? 'No request fails with it: a start of the service, a command, or a client without an answer of the service does.'
      : `A request that fails with it is answered with the HTTP status ${status} (${title}), and a problem document that has \`"code": "${code}"\`.`;
  const text = `# ${code}\n\n${sent}\n\n## When it happens\n\n${when}\n\n## What to do\n\n${formatAdvice(advice)}\n\n[All failures](errors.md)\n`;
  return text.replaceAll('](', '](../');
}

/** Formats the advice as a sentence, or as a list of the cases. */
function formatAdvice(advice) {
  const lines = advice.split('\n').map(line => `${line.replaceAll('<', '&lt;')}.`);
  return lines.length === 1 ? lines[0] : lines.map(line => `- ${line.replace(/^[a-z-]+/, '`$&`')}`).join('\n');
}

/** Lists all codes, each with a link to its page. */
function formatCodes(failures) {
  const rows = failures.map(({code, status = ''}) => `| [\`${code}\`](errors/${code}.md) | ${status} |`);
  return ['## All codes', '', '| Code | Status |', '|---|---|', ...rows, ''].join('\n');
}

/** Lists the groups of pages, with their addresses: the last one has the explorer too. */
function listContents(texts) {
  const groups = readContents(texts).map(({title, pages}) => ({
    title,
    pages: pages.map(({name, title: own}) => ({title: own, address: addressOf(name)})),
  }));
  groups.at(-1).pages.unshift(EXPLORER);
  return groups;
}

/** Adds what the contents say about each page, without the page of contents itself. */
function describePages(pages, texts) {
  const listed = readContents(texts).flatMap(group => group.pages);
  const about = new Map(listed.map(page => [page.name, page.about]));
  return pages.filter(({name}) => name !== CONTENTS).map(page => ({...page, about: about.get(page.name)}));
}

/** Returns the address of a link in a page; undefined if the service does not show its target. */
function findTarget(name, href, texts) {
  if (OWN_ADDRESS.test(href)) return href.replace(OWN_ADDRESS, '');
  if (/^https?:|^#/.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = posix.join(posix.dirname(name), path);
  if (!Object.hasOwn(texts, target)) return undefined;
  return `${addressOf(target)}${fragment === undefined ? '' : `#${fragment}`}`;
}

function addressOf(name) {
  return name === CONTENTS ? '/docs' : `/docs/${name.replace(/\.md$/, '')}`;
}

function fileOf(name) {
  return name === CONTENTS ? 'index.html' : name.replace(/\.md$/, '.html');
}

/** Copies the pictures that a page shows. */
function copyPictures(source, text, target) {
  for (const [, file = ''] of text.matchAll(/!\[[^\]]*\]\(([\w./-]+\.(?:png|svg))\)/g))
    cpSync(join(source, file), join(target, file));
}

/** Writes the explorer, and the scripts and styles of all pages: our own, those of Swagger UI, and the search in one file. */
async function writeScripts(source, target, contents) {
  const html = `<noscript>This page needs JavaScript. The same as JSON: <a href="/openapi.json">/openapi.json</a></noscript>
        <h1>${EXPLORER.title}</h1>
        <p>Every request, with its parameters, answers and failures, to try on this service.</p>
        <h2>Requests</h2>
        <div id="api"></div>\n`;
  const head = `    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/explorer.css">
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/explorer.js" defer></script>\n`;
  writeFileSync(join(target, 'api.html'), renderPage({...EXPLORER, html}, contents, head));
  for (const file of ['explorer.css', 'explorer.js', 'text.css', 'NOTICE.txt'])
    cpSync(join(source, file), join(target, file));
  const require = createRequire(import.meta.url);
  const swaggerUi = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css']) cpSync(join(swaggerUi, file), join(target, file));
  const outfile = join(target, 'search.js');
  await bundle({entryPoints: [join(source, 'search.js')], outfile, bundle: true, minify: true, target: 'es2022'});
}
