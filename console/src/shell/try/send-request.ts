import {fetchAsOwner} from '../../service/call-service.ts';

/** Longest wait for an answer and its body, in milliseconds: a stream has no end. */
const TIMEOUT_MS = 10_000;

/** Largest part of a body that is shown, in bytes. */
const BODY_BYTES_MAX = 64 * 1024;

/** A request that the user makes. */
export interface TriedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Path and query. */
  readonly address: string;
  /** JSON. */
  readonly body?: string | undefined;
}

/** An answer as it is shown. */
export interface TriedAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, or its beginning. */
  readonly body: string;
  readonly isCut: boolean;
  /** Time until the head of the answer, in milliseconds. */
  readonly durationMs: number;
}

/**
 * Sends a request of the user to the service. A plugin that answers it does not get the token of the owner: the service keeps that back.
 *
 * @param ended Ends the request: the user may, and an answer that is read does.
 * @throws If nothing answers.
 */
export async function sendRequest({method, address, body}: TriedRequest, ended: AbortController): Promise<TriedAnswer> {
  const startMs = performance.now();
  const timer = setTimeout(() => ended.abort(), TIMEOUT_MS);
  try {
    const request = new Request(location.origin + address, {
      method,
      ...(body === undefined ? {} : {body, headers: {'Content-Type': 'application/json'}}),
      redirect: 'manual',
      cache: 'no-store',
      signal: ended.signal,
    });
    const response = await fetchAsOwner(request);
    const durationMs = performance.now() - startMs;
    const read = await readBeginning(response);
    return {...read, status: response.status, headers: [...response.headers], durationMs};
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
}

/** Reads a body to its end, or as far as it is shown. What has arrived when the time is over is shown too. */
async function readBeginning({body}: Response): Promise<Pick<TriedAnswer, 'body' | 'isCut'>> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  let sizeBytes = 0;
  try {
    while (reader !== undefined && sizeBytes < BODY_BYTES_MAX) {
      const {value, done} = await reader.read();
      if (done) return {body: text, isCut: false};
      sizeBytes += value.length;
      text += decoder.decode(value.subarray(0, value.length - Math.max(0, sizeBytes - BODY_BYTES_MAX)), {stream: true});
    }
  } catch {
    // The time is over, or the connection was lost.
  }
  return {body: text, isCut: reader !== undefined};
}
