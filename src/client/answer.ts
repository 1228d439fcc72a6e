import {AppError} from '../domain/failure.ts';
import {isSentFailure} from '../domain/sent-failure.ts';
import {hasShape, type Shape, type ShapeOf} from '../domain/shape.ts';

/** An answer, read whole. */
export interface Answer {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/**
 * Largest answer that is read, in bytes: a value is at most 256 MiB, the largest that a service can be configured for, and a page
 * of values ends with the one that fills it. A program that only looks like the service may not stop at all.
 */
export const ANSWER_BYTES_MAX = 320 * 1024 * 1024;

/**
 * Largest document that is parsed, in bytes, unless it holds values: an identity is put together from files of 16 MiB at most.
 * What is made of a document can take twenty times its size.
 */
const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Reads an answer to its end.
 *
 * @throws {AppError} `unexpected-answer` if it is larger than any answer of the service.
 */
export async function readAnswer(url: string, response: Response): Promise<Answer> {
  const {status, headers} = response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = ANSWER_BYTES_MAX;
  // Not every browser iterates over a stream.
  const reader = response.body?.getReader();
  for (let chunk = (await reader?.read())?.value; chunk; chunk = (await reader?.read())?.value) {
    left -= chunk.length;
    if (left < 0) {
      void reader?.cancel().catch(() => {});
      throw tooLarge({url, status}, ANSWER_BYTES_MAX);
    }
    chunks.push(chunk);
  }
  return {url, status, headers, bytes: new Uint8Array(await new Blob(chunks).arrayBuffer())};
}

/**
 * Reads the JSON of an answer.
 *
 * @param bytesMax Largest document that is parsed.
 * @throws {AppError} `unexpected-answer` for anything else, or without what belongs to it.
 */
export function parseAnswer<T>(answer: Answer, shape: ShapeOf<T>, bytesMax = DOCUMENT_BYTES_MAX): T {
  const document = parseJson(answer, bytesMax);
  if (hasShape(document, shape as Shape)) return document as T;
  throw unexpectedAnswer(answer, 'it lacks what belongs to it');
}

/** The text of an answer. */
export function decodeAnswer({bytes}: Answer): string {
  return new TextDecoder().decode(bytes);
}

/** The failure that an answer reports. One that this version does not know keeps its code and its words. */
export function readFailure(answer: Answer): AppError {
  const problem = parseJson(answer, DOCUMENT_BYTES_MAX) as Readonly<Record<string, unknown>> | null;
  // The service puts the members of the failure beside those of the problem document.
  const {type, title, status, detail, instance, advice, ...failure} = problem ?? {};
  if (typeof failure['code'] !== 'string' || typeof detail !== 'string')
    return unexpectedAnswer(answer, 'it is no problem document of this service');
  if (isSentFailure(failure)) return new AppError(failure, {message: detail});
  const about = {sentCode: failure['code'], status: answer.status, detail};
  return new AppError({code: 'unknown-failure', ...about, ...(typeof advice === 'string' && {advice})});
}

function parseJson(answer: Answer, bytesMax: number): unknown {
  if (answer.bytes.length > bytesMax) throw tooLarge(answer, bytesMax);
  try {
    return JSON.parse(decodeAnswer(answer));
  } catch (error) {
    throw unexpectedAnswer(answer, 'it is not JSON', {cause: error});
  }
}

function tooLarge(answer: Pick<Answer, 'url' | 'status'>, bytesMax: number): AppError {
  return unexpectedAnswer(answer, `it is larger than ${bytesMax} bytes`);
}

/** The failure for an answer that the service would not give. */
export function unexpectedAnswer(
  {url, status}: Pick<Answer, 'url' | 'status'>,
  problem: string,
  options?: ErrorOptions,
): AppError {
  return new AppError({code: 'unexpected-answer', url, status, problem}, options);
}
