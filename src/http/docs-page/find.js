// The search in the pages of the documentation: the build makes its index, and a page loads and asks it.
import MiniSearch from 'minisearch';

/** Words that questions have and answers need not have. */
const IGNORED = new Set(
  'a all an and are as at be can do does for from has have how i if in into is it its me my of on or should so that the then there they this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** Words of newcomers, and those that the documentation has in their place. */
const SYNONYMS = new Map([
  ['autostart', 'start'],
  ['boot', 'start'],
  ['docker', 'container'],
  ['eaddrinuse', 'port'],
  ['fake', 'simulated'],
  ['login', 'sign'],
  ['logout', 'sign'],
  ['mac', 'macos'],
  ['mock', 'sample'],
  ['realtime', 'live'],
  ['reboot', 'start'],
  ['save', 'store'],
  ['subscribe', 'event'],
  ['uninstall', 'remove'],
  ['update', 'upgrade'],
]);

/** Returns the form of a word in the index: without the ending of a plural; undefined if it is ignored. */
function processTerm(term) {
  const word = term.toLowerCase();
  if (IGNORED.has(word)) return undefined;
  const stem = word.length > 3 ? word.replace(/ies$/, 'y').replace(/(?<![su])s$/, '') : word;
  return SYNONYMS.get(stem) ?? stem;
}

const OPTIONS = {
  fields: ['page', 'heading', 'about', 'text'],
  storeFields: ['page', 'heading'],
  processTerm,
  searchOptions: {
    boost: {page: 4, heading: 3, about: 4},
    // The page of a failure has few words, so each counts much; guides come before what they refer to.
    boostDocument: id => (id.startsWith('/docs/errors/') ? 0.4 : id.startsWith('/docs/guides/') ? 1.3 : 1),
    prefix: term => term.length > 2,
    fuzzy: term => (term.length > 4 ? 0.2 : false),
  },
};

/** Creates an index without pages. */
export function createIndex() {
  return new MiniSearch(OPTIONS);
}

/** Opens an index that the build has written. @param {string} json */
export function openIndex(json) {
  return MiniSearch.loadJSON(json, OPTIONS);
}

/** How many times better a section counts that has all words. */
const ALL_WORDS_BOOST = 1.6;

/** Maximum number of sections of one page among the results: other pages are seen, too. */
const OF_ONE_PAGE = 2;

/**
 * Finds sections of pages, best first.
 *
 * @returns {{address: string, page: string, heading: string}[]} `heading` is empty for the beginning of a page.
 */
export function findSections(index, question, limit = 8) {
  const counts = new Map();
  const isOneOfFew = ({page}) => {
    counts.set(page, (counts.get(page) ?? 0) + 1);
    return counts.get(page) <= OF_ONE_PAGE;
  };
  // A section that has all words comes before those that have one, unless they are far better.
  const all = new Set(index.search(question, {combineWith: 'AND'}).map(({id}) => id));
  const scoreOf = ({id, score}) => score * (all.has(id) ? ALL_WORDS_BOOST : 1);
  const sorted = index.search(question).sort((a, b) => scoreOf(b) - scoreOf(a));
  const found = sorted.filter(isOneOfFew).slice(0, limit);
  return found.map(({id, page, heading}) => ({address: id, page, heading}));
}
