// The index of the search in the pages of docs/, made at build time.
import {createIndex} from '../src/http/docs-page/find.js';

/**
 * Makes the index of all pages, by sections: each heading is a target of its own, but for those of failures, which are short.
 *
 * @param {{title: string, address: string, html: string, about?: string}[]} pages Pages with their content as HTML, and what the contents say
 * about them.
 * @returns {string} JSON.
 */
export function makeSearchIndex(pages) {
  const index = createIndex();
  index.addAll(pages.flatMap(splitSections));
  return JSON.stringify(index);
}

/** Splits a page at its headings, each with its text and its address. */
function splitSections({title, address, html, about = ''}) {
  const [intro = '', ...rest] = address.startsWith('/docs/errors/') ? [html] : html.split(/(?=<h[23] id=)/);
  const first = {id: address, page: title, heading: '', about, text: plainText(intro.replace(/<h1[\s\S]*?<\/h1>/, ''))};
  const others = rest.map(section => {
    const [, id = '', heading = '', text = ''] =
      /^<h[23] id="([^"]+)">([\s\S]*?)<\/h[23]>([\s\S]*)$/.exec(section) ?? [];
    return {id: `${address}#${id}`, page: title, heading: plainText(heading), text: plainText(text)};
  });
  return [first, ...others];
}

/** Returns the text of HTML that marked rendered. */
function plainText(html) {
  const text = html.replace(/<\/(?:td|th|li|p|pre|h\d)>/g, ' ').replace(/<[^>]*>/g, '');
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();
}
