import {AppError, type Failure} from '../domain/failure.ts';

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

/** The JSON of an answer. @throws {AppError} `unexpected-answer` when it is none. */
export function parseAnswer<T>(answer: Answer): T {
  try {
    return JSON.parse(decodeAnswer(answer)) as T;
  } catch (error) {
    throw unexpectedAnswer(answer, 'it is not JSON', {cause: error});
  }
}

/** The text of an answer. */
export function decodeAnswer({bytes}: Answer): string {
  return new TextDecoder().decode(bytes);
}

/** The failure that an answer tells of: also one that came after this version. */
export function readFailure(answer: Answer): AppError {
  const problem = parseAnswer<Readonly<Record<string, unknown>> | null>(answer);
  // The service puts the members of the failure beside those of the problem document.
  const {type, title, status, detail, instance, advice, ...failure} = problem ?? {};
  if (typeof failure['code'] === 'string' && typeof detail === 'string')
    return new AppError(failure as unknown as Failure, {message: detail});
  return unexpectedAnswer(answer, 'it is no problem document of this service');
}

/** The failure for an answer that the service would not give. */
export function unexpectedAnswer(
  {url, status}: Pick<Answer, 'url' | 'status'>,
  problem: string,
  options?: ErrorOptions,
): AppError {
  return new AppError({code: 'unexpected-answer', url, status, problem}, options);
}
