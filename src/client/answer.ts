import {FailureError} from '../failures/failure-error.ts';
import {decodeJsonText, trustStoredJson} from '../json/json-text.ts';
import {type FailureReading, readSentFailure} from '../protocol/failure/failure-document.ts';
import {UnexpectedDocument} from '../protocol/text/read-document.ts';

/** An answer with its whole body. */
export interface Answer {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/**
 * Largest answer that is read, in bytes. A service can be configured for values of at most 256 MiB, and a page of values ends with
 * the value that exceeds its limit. Another program that uses the port may never stop sending.
 */
export const SERVICE_ANSWER_BYTES_MAX = 320 * 1024 * 1024;

/**
 * Largest document without values that is parsed, in bytes: an identity comes from files of at most 16 MiB. A parsed document
 * can take twenty times its size in memory.
 */
const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Reads an answer to its end.
 *
 * @throws {AppError} `unexpected-answer` if it is larger than any answer of the service.
 */
export async function receiveAnswer(response: Response, url: string): Promise<Answer> {
  const {status, headers} = response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = SERVICE_ANSWER_BYTES_MAX;
  // A reader, since streams are not iterable in every browser.
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = (await reader?.read())?.value;
    if (chunk === undefined) break;
    left -= chunk.length;
    if (left < 0) {
      void reader?.cancel().catch(() => {});
      throw tooLarge({url, status}, SERVICE_ANSWER_BYTES_MAX);
    }
    chunks.push(chunk);
  }
  return {url, status, headers, bytes: new Uint8Array(await new Blob(chunks).arrayBuffer())};
}

/**
 * Reads the document of an answer.
 *
 * @param bytesMax Largest document that is parsed.
 * @throws {AppError} `unexpected-answer` for a document that the service does not write.
 */
export function parseAnswer<T>(answer: Answer, read: (json: string) => T, bytesMax = DOCUMENT_BYTES_MAX): T {
  if (answer.bytes.length > bytesMax) throw tooLarge(answer, bytesMax);
  return expecting(answer, () => read(decodeAnswer(answer)));
}

function tooLarge(answer: Pick<Answer, 'url' | 'status'>, bytesMax: number): FailureError {
  return unexpectedAnswer(answer, `it is larger than ${bytesMax} bytes`);
}

/** Calls a reader of a part of an answer. @throws {AppError} `unexpected-answer` if the service does not write this part so. */
export function expecting<T>(answer: Pick<Answer, 'url' | 'status'>, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnexpectedDocument)) throw error;
    throw unexpectedAnswer(answer, error.message, {cause: error});
  }
}

/** Returns the text of an answer. */
export function decodeAnswer({bytes}: Answer): string {
  return decodeJsonText(trustStoredJson(bytes));
}

/** Returns the failure that an answer reports. */
export function failureIn(answer: Answer, isKnown: FailureReading['isKnown']): FailureError {
  return parseAnswer(answer, json => readSentFailure(json, {httpStatus: answer.status, isKnown}));
}

/** Returns the failure for an answer that the service does not give. */
export function unexpectedAnswer(
  {url, status}: Pick<Answer, 'url' | 'status'>,
  problem: string,
  options?: ErrorOptions,
): FailureError {
  return new FailureError({code: 'unexpected-answer', url, status, problem}, options);
}
