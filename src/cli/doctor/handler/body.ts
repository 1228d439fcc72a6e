import type {HandlerAnswer} from '../../../identity/handler-exchange.ts';
import {cleanText, firstLineOf} from '../../../identity/handler-text.ts';

/** What the body of an answer turned out to be, whatever its content type says. */
export type Body =
  | {readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>>}
  | {readonly kind: 'json'; readonly value: unknown}
  | {readonly kind: 'empty'}
  | {readonly kind: 'html'}
  | {readonly kind: 'text'}
  | {readonly kind: 'binary'};

/** Reads the body of an answer as a strict reader of JSON does. */
export function readBody({bytes}: HandlerAnswer): Body {
  let text: string;
  try {
    // The decoder keeps a byte order mark, which is no JSON.
    text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch {
    return {kind: 'binary'};
  }
  if (text.trim() === '') return {kind: 'empty'};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? {kind: 'object', value} : {kind: 'json', value};
  } catch {
    return {kind: /^\s*<[!a-z?]/i.test(text) ? 'html' : 'text'};
  }
}

/** What a body is, for people. Of JSON only the names are told: the values may be secret. */
export function describeBody(answer: HandlerAnswer): string {
  const body = readBody(answer);
  switch (body.kind) {
    case 'empty':
      return 'an empty body';
    case 'binary':
      return 'bytes that are no text in UTF-8';
    case 'html':
      return describePage(answer);
    case 'text':
      return `text that begins with ${quoteFirstLine(answer)}`;
    case 'json':
      return Array.isArray(body.value) ? 'a JSON array' : `the JSON ${JSON.stringify(body.value)?.slice(0, 40)}`;
    case 'object':
      return describeMembers(Object.keys(body.value), answer);
  }
}

/** The message of a failure as handlers have it, `{"message": "…"}`; cleaned and cut. */
export function messageOf(answer: HandlerAnswer): string | undefined {
  const body = readBody(answer);
  if (body.kind !== 'object' || typeof body.value['message'] !== 'string') return undefined;
  return cleanText(body.value['message'], answer.secrets);
}

/** What makes no JSON of JSON. */
export type Mixture = keyof typeof MIXTURE_FIXES;

/** How to get rid of it. */
export const MIXTURE_FIXES = {
  'a byte order mark': 'Save the PHP files as UTF-8 without a byte order mark; each included one counts',
  'other text':
    'Turn off display_errors in php.ini, and mend what the log of PHP says: its warnings stand in the answer',
} as const;

/** What stands before the JSON of an answer and makes it none: PHP and editors put it there. */
export function findMixture({bytes}: HandlerAnswer): Mixture | undefined {
  const text = new TextDecoder('utf-8', {ignoreBOM: true}).decode(bytes);
  const start = text.search(/[[{]/);
  if (start <= 0 || !isJson(text.slice(start))) return undefined;
  return text.startsWith('\ufeff') ? 'a byte order mark' : 'other text';
}

/** Whether the content type says that it is JSON. */
export function claimsJson({headers}: HandlerAnswer): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '');
}

/** How many names of members are told. */
const NAMES_MAX = 8;

function describeMembers(names: readonly string[], {secrets}: HandlerAnswer): string {
  if (names.length === 0) return 'an empty JSON object';
  const shown = names.slice(0, NAMES_MAX).map(name => JSON.stringify(cleanText(name, secrets)));
  return `a JSON object with ${shown.join(', ')}${names.length > NAMES_MAX ? ' and more' : ''}`;
}

function describePage(answer: HandlerAnswer): string {
  const title = /<title[^>]*>([^<]{1,1000})/i.exec(new TextDecoder().decode(answer.bytes))?.[1];
  if (title === undefined) return `HTML that begins with ${quoteFirstLine(answer)}`;
  return `a page titled ${JSON.stringify(cleanText(title, answer.secrets))}`;
}

function quoteFirstLine({bytes, secrets}: HandlerAnswer): string {
  return JSON.stringify(cleanText(firstLineOf(new TextDecoder().decode(bytes)), secrets));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
