import {stat} from 'node:fs/promises';
import {isAbsolute} from 'node:path';
import {inspect} from 'node:util';
import {MESSAGE_BODY_BYTES_MAX} from '../../channel/frame.ts';
import type {AnswerMessage} from '../../channel/message.ts';
import {memberOf} from '../values/member.ts';

/** The call that a response belongs to. */
export interface RouteResponseDeps {
  readonly call: number;
  readonly answer: (message: AnswerMessage, body?: string | Uint8Array) => void;
  readonly fail: (error: unknown) => void;
}

/** Statuses whose answers have no body (RFC 9110 section 6.4.1). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Response that a route gets as `res`. Each method returns it, so that calls can be chained. */
export class RouteResponse {
  readonly #deps: RouteResponseDeps;
  #status = 200;
  /** True once a file is to be sent, which is looked up first. */
  isFileSent = false;

  constructor(deps: RouteResponseDeps) {
    this.#deps = deps;
  }

  /** @throws {RangeError} if it is not the status of a final answer. */
  status(status: number): this {
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw new RangeError(`Cannot answer with the status ${inspect(status)}: it has to be an integer from 200 to 599`);
    this.#status = status;
    return this;
  }

  json(value?: unknown): this {
    return this.#answer(JSON.stringify(value) ?? 'null', 'application/json');
  }

  /**
   * Sends a text, bytes, or anything else as JSON.
   *
   * @throws {TypeError} for a stream.
   */
  send(body?: unknown): this {
    if (body === undefined || body === null) return this.#answer('', undefined);
    if (typeof memberOf(body, 'pipe') === 'function' || body instanceof ReadableStream)
      throw new TypeError('Cannot send a stream: read it first, or send a file with res.sendFile()');
    if (typeof body === 'string') return this.#answer(body, 'text/plain; charset=utf-8');
    if (body instanceof Uint8Array) return this.#answer(body, 'application/octet-stream');
    return this.json(body);
  }

  /**
   * Sends a regular file. The service gives it a content type by its extension, and answers requests for ranges.
   *
   * @throws {TypeError} if the path is not absolute.
   */
  sendFile(path: string): this {
    if (typeof path !== 'string' || !isAbsolute(path))
      throw new TypeError(`Cannot send the file ${JSON.stringify(path)}: its path has to be absolute`);
    this.isFileSent = true;
    void this.#sendFile(path, this.#status);
    return this;
  }

  async #sendFile(path: string, status: number): Promise<void> {
    const {call, answer, fail} = this.#deps;
    try {
      if ((await stat(path)).isFile()) answer({kind: 'file', call, status, path});
      else fail(new Error(`Cannot send ${JSON.stringify(path)}: it is not a regular file`));
    } catch (error) {
      fail(error);
    }
  }

  #answer(body: string | Uint8Array, contentType: string | undefined): this {
    const {call, answer} = this.#deps;
    const status = this.#status;
    if (WITHOUT_BODY.has(status)) {
      answer({kind: 'answer', call, status});
      return this;
    }
    const sizeBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    if (sizeBytes > MESSAGE_BODY_BYTES_MAX)
      throw new RangeError(`Cannot answer with ${sizeBytes} bytes: the limit is ${MESSAGE_BODY_BYTES_MAX}`);
    answer({kind: 'answer', call, status, contentType}, body);
    return this;
  }
}
