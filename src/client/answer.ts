import {FailureError} from '../core/failures/failure-error.ts';
import {decodeJsonText, trustStoredJson} from '../core/json/json-text.ts';

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
const SERVICE_ANSWER_BYTES_MAX = 320 * 1024 * 1024;

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
      throw unexpectedAnswer({url, status}, `it is larger than ${SERVICE_ANSWER_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return {url, status, headers, bytes: new Uint8Array(await new Blob(chunks).arrayBuffer())};
}

/** Reads the document of an answer. @throws {AppError} `unexpected-answer` if it is cut off. */
export function parseAnswer<T>(answer: Answer, read: (json: string) => T): T {
  return expecting(answer, () => read(decodeAnswer(answer)));
}

/** Calls a reader of a part of an answer. @throws {AppError} `unexpected-answer` if this part is cut off or missing. */
export function expecting<T>(answer: Pick<Answer, 'url' | 'status'>, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unexpectedAnswer(answer, 'it cannot be read', {cause});
  }
}

/** Returns the text of an answer. */
export function decodeAnswer({bytes}: Answer): string {
  return decodeJsonText(trustStoredJson(bytes));
}

/** Returns the failure for an answer that the service does not give. */
export function unexpectedAnswer(
  {url, status}: Pick<Answer, 'url' | 'status'>,
  problem: string,
  options?: ErrorOptions,
): FailureError {
  return new FailureError({code: 'unexpected-answer', url, status, problem}, options);
}
