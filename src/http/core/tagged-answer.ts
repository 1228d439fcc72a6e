import {createHmac} from 'node:crypto';
import {isAlreadyRead} from '../../core/protocol/headers/preconditions.ts';
import type {RequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import {answer, emptyAnswer, type WholeAnswer} from './message.ts';

interface TaggedAnswerOptions {
  /** Secret for the tag of a body with secrets: without it, the tag would show which guess is right. @default {none} */
  readonly key?: Uint8Array;
  /** Further headers: alternating names and values. */
  readonly rawHeaders?: readonly string[];
}

/**
 * Creates the answers to reads of a document: the document with a strong entity tag, which is computed once, and 304 for clients
 * that have it already.
 *
 * @returns A function of the headers of a request. @throws {AppError} `invalid-header`.
 */
export function taggedAnswer(
  body: string | Uint8Array,
  {key = new Uint8Array(), rawHeaders = []}: TaggedAnswerOptions = {},
): (headers: RequestHeaders) => WholeAnswer {
  const tag = `"${createHmac('sha256', key).update(body).digest('base64url')}"`;
  const tagged = ['ETag', tag, ...rawHeaders];
  const [whole, unchanged] = [answer(body, {rawHeaders: tagged}), emptyAnswer(304, tagged)];
  return headers => (isAlreadyRead(headers, tag) ? unchanged : whole);
}
