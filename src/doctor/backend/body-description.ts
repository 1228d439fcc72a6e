import {decodeWithoutSecrets, firstLineOf, titleOf} from '../../identity/backend/answer-text.ts';
import {messageIn} from '../../identity/backend/request/answer-body.ts';
import type {BackEndResponse} from '../../identity/backend/request/back-end-request.ts';
import {cleanText} from '../../identity/clean-text.ts';
import type {Finding} from '../finding.ts';

/** Describes a body for people: its message, or else the names of its members, as the values may be secret. */
export function describeBody(answer: BackEndResponse): string {
  const {body} = answer;
  const message = failureMessageOf(answer);
  if (message !== undefined) return `the message ${JSON.stringify(message)}`;
  switch (body.kind) {
    case 'empty':
      return 'an empty body';
    case 'binary':
      return 'bytes that are not text in UTF-8';
    case 'html':
      return describePage(answer);
    case 'text':
    case 'mixed':
      return `text that begins with ${quoteFirstLine(answer)}`;
    case 'long':
      return `${answer.bytes.length} bytes that begin with ${quoteFirstLine(answer)}`;
    case 'json':
      return Array.isArray(body.value) ? 'a JSON array' : `the JSON ${JSON.stringify(body.value)?.slice(0, 40)}`;
    case 'object':
      return describeMembers(Object.keys(body.value), answer);
  }
}

/** Returns the message of a failure, cleaned and truncated; undefined if there is none. */
export function failureMessageOf({body, secrets}: BackEndResponse): string | undefined {
  const message = cleanText(messageIn(body) ?? '', secrets);
  return message === '' ? undefined : message;
}

/** Returns a warning if the body begins with a byte order mark, which Crewroom skips but other programs may not. */
export function findByteOrderMark(check: string, {body}: BackEndResponse): readonly Finding[] {
  if (!('hasByteOrderMark' in body) || !body.hasByteOrderMark) return [];
  return [
    {
      check,
      level: 'warning',
      detail: 'there is a byte order mark before the JSON, which not every program skips',
      fix: 'Save the PHP files, included files too, as UTF-8 without a byte order mark',
    },
  ];
}

/** Returns whether the content type is JSON. */
export function claimsJson({headers}: BackEndResponse): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '');
}

/** Maximum number of member names that are listed. */
const NAMES_MAX = 8;

function describeMembers(names: readonly string[], {secrets}: BackEndResponse): string {
  if (names.length === 0) return 'an empty JSON object';
  const shown = names.slice(0, NAMES_MAX).map(name => JSON.stringify(cleanText(name, secrets)));
  return `a JSON object with ${shown.join(', ')}${names.length > NAMES_MAX ? ' and more' : ''}`;
}

function describePage(answer: BackEndResponse): string {
  const title = titleOf(decodeWithoutSecrets(answer.bytes, answer.secrets));
  if (title === undefined) return `HTML that begins with ${quoteFirstLine(answer)}`;
  return `a page titled ${JSON.stringify(cleanText(title, []))}`;
}

function quoteFirstLine({bytes, secrets}: BackEndResponse): string {
  return JSON.stringify(cleanText(firstLineOf(decodeWithoutSecrets(bytes, secrets)), []));
}
