/**
 * Replaces secrets by "…", in all forms in which a text may repeat them: unchanged, and encoded for JSON, URLs or HTML as
 * JavaScript and PHP do it.
 *
 * @param lengthMax Maximum length of the result, in UTF-16 units. A secret that crosses the cut is removed completely.
 */
export function hideSecrets(text: string, secrets: readonly string[], lengthMax = Infinity): string {
  return new Redactor(secrets).hide(text, lengthMax);
}

/** Hides secrets in many texts, as {@link hideSecrets} does in one. */
export class Redactor {
  /** Longest first: one form may contain another. */
  readonly #forms: readonly Pattern[];

  constructor(secrets: readonly string[]) {
    const forms = new Set(secrets.filter(secret => secret !== '').flatMap(formsOf));
    this.#forms = [...forms].sort((a, b) => b.length - a.length).map(text => ({text, borders: bordersOf(text)}));
  }

  /** @param lengthMax Maximum length of the result, in UTF-16 units. A secret that crosses the cut is removed whole. */
  hide(text: string, lengthMax = Infinity): string {
    const hidden = this.#forms.reduce(hide, text.slice(0, lengthMax));
    if (text.length <= lengthMax) return hidden;
    const splitLength = this.#forms[0]?.text.length ?? 0;
    return hidden.slice(0, Math.max(0, hidden.length - splitLength));
  }
}

/**
 * Replaces the secrets of the service by "…", whether it knows them or not, for paths, logs and failures: tokens, also percent-encoded ones, and
 * those in host names of pages. They may be malformed or cut.
 */
export function withoutSecrets(text: string): string {
  return text.replace(PAGE_SECRET, '-…').replace(TOKEN, '…');
}

/** A secret before a name of the service. 16 of its 32 digits are too few to guess the rest, and as many as a plain label has. */
const PAGE_SECRET = /-[0-9a-f]{17,}(?=(?:%2e|[^\w%])*(?:crewroom|localhost))/gi;

/** A token, any character of which may be percent-encoded, also more than once. 21 of its 43 characters are too few to guess the rest. */
const TOKEN = new RegExp(`${[...'crewroom_'].map(encodable).join('')}(?:[\\w-]|%(?:25)*[2-7][\\da-fA-F]){22,}`, 'g');

function encodable(character: string): string {
  return `(?:${character}|%(?:25)*${hexOf(character)}|%(?:25)*${hexOf(character).toUpperCase()})`;
}

/** Returns whether a text contains another, in linear time. */
export function contains(text: string, part: string): boolean {
  return findAll(text, {text: part, borders: bordersOf(part)}).next().done === false;
}

/** A text to find. */
interface Pattern {
  readonly text: string;
  /** For each of its prefixes, the length of the longest proper prefix that is also its suffix. */
  readonly borders: Int32Array;
}

/** Returns a secret as JavaScript and PHP write it. PHP escapes more: non-ASCII in JSON, apostrophes in HTML. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const asciiJson = json.replaceAll(/[\u0080-\uffff]/g, unit => `\\u${hexOf(unit).padStart(4, '0')}`);
  const slashedJson = [json, asciiJson].map(text => text.replaceAll('/', '\\/'));
  const address = encodeURIComponent(secret.toWellFormed());
  const fullAddress = address.replaceAll(/[!'()*]/g, character => `%${hexOf(character).toUpperCase()}`);
  const html = secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  const fullHtml = html.replaceAll("'", '&#039;');
  return [secret, json, asciiJson, ...slashedJson, address, fullAddress, formFieldOf(secret), html, fullHtml];
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16);
}

/** Encodes a text as the value of a form, which escapes more than an address part, and writes spaces as `+`. */
function formFieldOf(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function hide(text: string, form: Pattern): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of findAll(text, form)) {
    parts.push(text.slice(from, at));
    from = at + form.text.length;
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)].join('…');
}

/**
 * Finds the occurrences of a pattern in a text that do not overlap, with the algorithm of Knuth, Morris and Pratt: `indexOf()`
 * takes half a second for a secret such as `aa…ba…a` of 1,000 characters in a page of 1 MiB of `a`.
 */
function* findAll(text: string, {text: pattern, borders}: Pattern): Generator<number, void> {
  if (pattern.length > text.length) return;
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = extend(pattern, borders, {matched, code: text.charCodeAt(at)});
    if (matched < pattern.length) continue;
    yield at + 1 - matched;
    matched = 0;
  }
}

/** Returns, for each prefix of the pattern, the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length);
  for (let at = 1; at < pattern.length; at++)
    borders[at] = extend(pattern, borders, {matched: borders[at - 1] ?? 0, code: pattern.charCodeAt(at)});
  return borders;
}

interface Step {
  /** Length of the prefix that matches the text before the character. */
  readonly matched: number;
  readonly code: number;
}

/** Returns the length of the longest prefix that matches the text up to the character. */
function extend(pattern: string, borders: Int32Array, {matched: before, code}: Step): number {
  let matched = before;
  while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
  return pattern.charCodeAt(matched) === code ? matched + 1 : matched;
}
