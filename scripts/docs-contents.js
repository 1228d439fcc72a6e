// The order of the pages of docs/: docs/README.md lists them, on a code host as well as on a running service.

/** Page that lists all others, by its name in docs/. */
export const CONTENTS = 'README.md';

/**
 * Reads the groups of pages that a list of contents has: a heading, and the links of the list items below it.
 *
 * @param {Record<string, string>} pages Texts of all pages by their names.
 * @returns {{title: string, pages: {name: string, title: string, about: string}[]}[]} In order, each page with its own title.
 */
export function readContents(pages) {
  const [, ...sections] = pages[CONTENTS].split(/^## /m);
  const groups = sections.map(section => ({
    title: section.slice(0, section.indexOf('\n')),
    pages: Array.from(section.matchAll(/^- \[[^\]]+\]\(([^)#:]+\.md)\): (.+)$/gm), ([, name, about]) => ({
      name,
      title: titleOf(pages[name]),
      about,
    })),
  }));
  return groups.filter(group => group.pages.length > 0);
}

/** Returns the title of a page: its first heading, as plain text. */
export function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';
}
