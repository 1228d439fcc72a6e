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

/** Reads an answer to its end. */
export async function readAnswer(url: string, response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return {url, status: response.status, headers: response.headers, bytes};
}

/** Reads the JSON of an answer. @throws {AppError} `unexpected-answer` for anything else, or without what belongs to it. */
export function parseAnswer<T>(answer: Answer, shape: ShapeOf<T>): T {
  const document = parseJson(answer);
  if (hasShape(document, shape as Shape)) return document as T;
  throw unexpectedAnswer(answer, 'it lacks what belongs to it');
}

/** The text of an answer. */
export function decodeAnswer({bytes}: Answer): string {
  return new TextDecoder().decode(bytes);
}

/** The failure that an answer reports. One that this version does not know keeps its code and its words. */
export function readFailure(answer: Answer): AppError {
  const problem = parseJson(answer) as Readonly<Record<string, unknown>> | null;
  // The service puts the members of the failure beside those of the problem document.
  const {type, title, status, detail, instance, advice, ...failure} = problem ?? {};
  if (typeof failure['code'] !== 'string' || typeof detail !== 'string')
    return unexpectedAnswer(answer, 'it is no problem document of this service');
  if (isSentFailure(failure)) return new AppError(failure, {message: detail});
  const about = {sentCode: failure['code'], status: answer.status, detail};
  return new AppError({code: 'unknown-failure', ...about, ...(typeof advice === 'string' && {advice})});
}

function parseJson(answer: Answer): unknown {
  try {
    return JSON.parse(decodeAnswer(answer));
  } catch (error) {
    throw unexpectedAnswer(answer, 'it is not JSON', {cause: error});
  }
}

/** The failure for an answer that the service would not give. */
export function unexpectedAnswer(
  {url, status}: Pick<Answer, 'url' | 'status'>,
  problem: string,
  options?: ErrorOptions,
): AppError {
  return new AppError({code: 'unexpected-answer', url, status, problem}, options);
}
