// Renders docs/ as pages that the service shows without a network: the guides, the references, and a page for each failure code.
import {cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, posix} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Marked} from 'marked';
import {gfmHeadingId} from 'marked-gfm-heading-id';

/** The address at which the guides expect the service. Links to it lead to the service that shows the page. */
const OWN_ADDRESS = /^http:\/\/localhost:7172(?=\/)/;

/**
 * Renders all pages into the folder `docs` of a build, as `NAME.html`. Links between pages lead to `/docs/NAME`; of links to other files
 * of the repository only the text stays.
 *
 * @param {string} root Path of the repository.
 * @param {string} built Path of the built service, which has the failures.
 */
export async function writeDocs(root, built) {
  const pages = readPages(join(root, 'docs'));
  const failures = await readFailures(built);
  mkdirSync(join(built, 'docs'), {recursive: true});
  const all = {
    ...pages,
    'errors.md': linkCodes(pages['errors.md'] ?? '', failures),
    'guides.md': formatContents(pages),
    ...Object.fromEntries(failures.map(failure => [`errors/${failure.code}.md`, formatFailurePage(failure)])),
  };
  for (const [name, text] of Object.entries(all)) {
    const target = join(built, 'docs', name.replace(/\.md$/, '.html'));
    mkdirSync(dirname(target), {recursive: true});
    writeFileSync(target, renderPage(name, text, all));
    copyPictures(join(root, 'docs', dirname(name)), text, dirname(target));
  }
}

/** Reads the pages in a folder and in `guides/`, by their names. */
function readPages(folder) {
  const names = [...readdirSync(folder), ...readdirSync(join(folder, 'guides')).map(name => `guides/${name}`)];
  const pages = names.filter(name => name.endsWith('.md')).sort();
  return Object.fromEntries(pages.map(name => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Reads the rows of all failures from the built service. */
async function readFailures(built) {
  const load = path => import(pathToFileURL(join(built, path)).href);
  const {ROWS} = await load('failures/rows/rows.js');
  const {STATUS_TEXTS} = await load('failures/rows/status-text.js');
  return Object.entries(ROWS).map(([code, row]) => ({code, title: STATUS_TEXTS[row.status], ...row}));
}

/** Formats the page of a failure, the address of which is the `type` of its problem document. */
function formatFailurePage({code, status, title, when, advice}) {
  const sent =
    status === undefined
      ? 'No request fails with it: a start of the service, a command, or a client without an answer of the service does.'
      : `A request that fails with it is answered with the HTTP status ${status} (${title}), and a problem document that has \`"code": "${code}"\`.`;
  return `# ${code}\n\n${sent}\n\n## When it happens\n\n${when.replaceAll('](', '](../')}\n\n## What to do\n\n${advice.replaceAll('<', '&lt;')}.\n\n[All failures](../errors.md)\n`;
}

/** Links each code in the tables of codes to its page. */
function linkCodes(text, failures) {
  const codes = new Set(failures.map(({code}) => code));
  return text.replace(/^\| .+ \|$/gm, row =>
    row.replace(/`([a-z-]+)`/g, (shown, code) => (codes.has(code) ? `[${shown}](errors/${code}.md)` : shown)),
  );
}

/** Formats the list of all pages, guides first. */
function formatContents(pages) {
  const list = names =>
    names.map(name => `- [${/^# (.+)$/m.exec(pages[name] ?? '')?.[1] ?? name}](${name})\n`).join('');
  const names = Object.keys(pages);
  const guides = names.filter(name => name.startsWith('guides/'));
  const others = names.filter(name => !name.startsWith('guides/'));
  return `# Guides\n\n${list(guides)}\n## Reference\n\n${list(others)}- [All requests, to try](http://localhost:7172/docs)\n`;
}

/** Renders a page of Markdown. @returns HTML, with the headings as targets of links. */
function renderPage(name, text, pages) {
  const renderer = {
    link({href, tokens}) {
      const content = this.parser.parseInline(tokens);
      const target = findTarget(name, href, pages);
      return target === undefined ? content : `<a href="${target}">${content}</a>`;
    },
  };
  const content = new Marked(gfmHeadingId(), {renderer}).parse(text);
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? name;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} - Crewroom</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/text.css">
  </head>
  <body>
    <nav><a href="/">Console</a> <a href="/docs/guides">Guides</a> <a href="/docs/errors">Failures</a> <a href="/docs">HTTP API</a></nav>
    <main>
${content}    </main>
  </body>
</html>
`;
}

/** Returns the address of a link in a page; undefined if the service does not show its target. */
function findTarget(name, href, pages) {
  if (OWN_ADDRESS.test(href)) return href.replace(OWN_ADDRESS, '');
  if (/^https?:|^#/.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = posix.join(posix.dirname(name), path);
  if (!Object.hasOwn(pages, target)) return undefined;
  return `/docs/${target.replace(/\.md$/, '')}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** Copies the pictures that a page shows. */
function copyPictures(source, text, target) {
  for (const [, file = ''] of text.matchAll(/!\[[^\]]*\]\(([\w./-]+\.(?:png|svg))\)/g))
    cpSync(join(source, file), join(target, file));
}
