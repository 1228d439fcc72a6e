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
 * of the repository only the text stays. Failures are also written as `errors.json`, for the command line.
 *
 * @param {string} root Path of the repository.
 * @param {string} built Path of the built service, which has the failures.
 * @throws {Error} If a failure has no description in docs/errors.md.
 */
export async function writeDocs(root, built) {
  const pages = readPages(join(root, 'docs'));
  const failures = await readFailures(pages['errors.md'] ?? '', built);
  const texts = failures.map(({code, status, meaning, advice}) => [
    code,
    {status, meaning: withoutMarks(meaning), advice},
  ]);
  mkdirSync(join(built, 'docs'), {recursive: true});
  writeFileSync(join(built, 'docs', 'errors.json'), `${JSON.stringify(Object.fromEntries(texts))}\n`);
  const all = {
    ...pages,
    'errors.md': linkCodes(pages['errors.md'] ?? ''),
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

/** Reads code, status and advice of every failure from the built service, and its description from docs/errors.md. */
async function readFailures(text, built) {
  const load = path => import(pathToFileURL(join(built, path)).href);
  const {STATUS_BY_CODE} = await load('failures/failure-status.js');
  const {STATUS_TEXTS} = await load('failures/status-text.js');
  const {adviseOnFailure} = await load('failures/failure-advice.js');
  return Object.entries(STATUS_BY_CODE).map(([code, status]) => {
    const [, meaning] = new RegExp(`^\\| \`${code}\` \\|(?: [0-9]{3} \\|)? (.+) \\| .+ \\|$`, 'm').exec(text) ?? [];
    if (meaning === undefined) throw new Error(`docs/errors.md does not describe "${code}"`);
    return {code, status, title: STATUS_TEXTS[status], meaning, advice: adviseOnFailure(code)};
  });
}

/** Formats the page of a failure, the address of which is the `type` of its problem document. */
function formatFailurePage({code, status, title, meaning, advice}) {
  const sent =
    status === undefined
      ? 'No request fails with it: a start of the service, a command, or a client without an answer of the service does.'
      : `A request that fails with it is answered with the HTTP status ${status} (${title}), and a problem document that has \`"code": "${code}"\`.`;
  return `# ${code}\n\n${sent}\n\n## When it happens\n\n${meaning}\n\n## What to do\n\n${advice.replaceAll('<', '&lt;')}.\n\n[All failures](../errors.md)\n`;
}

/** Returns a line of Markdown as a text for terminals: of links the text stays, and backticks show what is code. */
function withoutMarks(text) {
  return text
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('**', '')
    .replaceAll('\\|', '|');
}

/** Links each code in the table of all failures to its page. */
function linkCodes(text) {
  return text.replace(/^\| `([a-z-]+)` \|/gm, '| [`$1`](errors/$1.md) |');
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
