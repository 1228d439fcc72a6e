// The HTML of a page of docs/: its text, and what all pages have around theirs.
import {createRequire} from 'node:module';
import {Marked} from 'marked';
import {gfmHeadingId} from 'marked-gfm-heading-id';

// Its declarations would bring the types of browsers into those of the service.
const hljs = createRequire(import.meta.url)('highlight.js/lib/common');

/**
 * Renders the text of a page.
 *
 * @param {string} text Markdown.
 * @param {(href: string) => string | undefined} findTarget Returns the address of a link; undefined if only its text is shown.
 * @returns {string} HTML, with the headings as targets of links. Tables and code can be scrolled with the keyboard.
 */
export function renderText(text, findTarget) {
  const renderer = {
    link({href, tokens}) {
      const content = this.parser.parseInline(tokens);
      const target = findTarget(href);
      return target === undefined ? content : `<a href="${target}">${content}</a>`;
    },
    code({text: code, lang = ''}) {
      const isKnown = hljs.getLanguage(lang) !== undefined;
      const content = isKnown ? hljs.highlight(code, {language: lang}).value : escapeHtml(code);
      return `<pre tabindex="0"><code>${content}\n</code></pre>\n`;
    },
  };
  const html = new Marked(gfmHeadingId(), {renderer}).parse(text);
  return html
    .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll(/<th>\s*<\/th>/g, '<td></td>');
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * Renders the page around a text: the search above it, the contents at its side, and the pages before and after it.
 *
 * @param {{title: string, address: string, html: string}} page
 * @param {{title: string, pages: {title: string, address: string}[]}[]} contents
 * @param {string} [head] Further elements of the head.
 */
export function renderPage({title, address, html}, contents, head = '') {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} - Crewroom</title>
    <link rel="icon" href="/console/favicon.svg">
${head}    <link rel="stylesheet" href="/docs/text.css">
    <script src="/docs/search.js" defer></script>
  </head>
  <body>
    <header>
      <a class="skip" href="#text">Skip to the text</a>
      <a class="home" href="/docs">Crewroom docs</a>
      <a class="to-contents" href="#contents">Contents</a>
      <a href="/">Console</a>
      <search hidden>
        <input type="search" aria-label="Search the docs" placeholder="Search the docs (press /)" autocomplete="off">
        <div class="found"><p role="status"></p><ul></ul></div>
      </search>
    </header>
    <div class="columns">
      <main id="text">
${html}${formatSteps(address, contents)}      </main>
${formatHeadings(html)}      <nav id="contents" aria-label="Contents">
${formatContents(address, contents)}      </nav>
    </div>
  </body>
</html>
`;
}

function formatContents(address, contents) {
  return contents
    .map(
      ({title, pages}) =>
        `        <h2>${title}</h2>\n        <ul>\n${pages.map(page => formatItem(page, address)).join('')}        </ul>\n`,
    )
    .join('');
}

function formatItem({title, address}, current) {
  return `          <li><a href="${address}"${address === current ? ' aria-current="page"' : ''}>${title}</a></li>\n`;
}

/** Formats the headings of a text as links; nothing if there are fewer than three. */
function formatHeadings(html) {
  const headings = Array.from(html.matchAll(/<h2 id="([^"]+)">([\s\S]*?)<\/h2>/g), ([, id, text]) => ({
    address: `#${id}`,
    title: text.replace(/<\/?a[^>]*>/g, ''),
  }));
  if (headings.length < 3) return '';
  const items = headings.map(heading => formatItem(heading)).join('');
  return `      <nav class="headings" aria-label="On this page">\n        <h2>On this page</h2>\n        <ul>\n${items}        </ul>\n      </nav>\n`;
}

/** Formats the links to the pages before and after one; nothing for a page that the contents do not list. */
function formatSteps(address, contents) {
  const all = contents.flatMap(({pages}) => pages);
  const place = all.findIndex(page => page.address === address);
  if (place === -1) return '';
  const link = (page, rel, word) =>
    page === undefined ? '' : `<a rel="${rel}" href="${page.address}"><span>${word}</span> ${page.title}</a>`;
  return `<nav class="steps" aria-label="Previous and next page">${link(all[place - 1], 'prev', 'Previous')}${link(all[place + 1], 'next', 'Next')}</nav>\n`;
}
