import type {IncomingMessage, ServerResponse} from 'node:http';
import {AppError, type Failure} from '../domain/failure.ts';
import type {TurnRequest} from './connections.ts';
import {type HttpRequest, headerValues} from './message.ts';

/** A request from a socket. */
export class NodeRequest implements HttpRequest, TurnRequest {
  readonly #request: IncomingMessage;
  /** Where to ask for the body first, when the client waits to be asked (RFC 9110 section 10.1.1). */
  readonly #awaiting: ServerResponse | undefined;
  #failure: Failure | undefined;
  #rejectBody: ((error: AppError) => void) | undefined;

  constructor(request: IncomingMessage, awaiting: ServerResponse | undefined) {
    this.#request = request;
    this.#awaiting = awaiting;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get target(): string {
    return this.#request.url ?? '';
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  get complete(): boolean {
    return this.#request.complete;
  }

  fail(failure: Failure): void {
    this.#failure = failure;
    this.#rejectBody?.(new AppError(failure));
  }

  async readBody(sizeBytesMax: number): Promise<Uint8Array> {
    const declared = Number(headerValues(this.rawHeaders, 'content-length')[0] ?? 0);
    if (declared > sizeBytesMax) throw new AppError({code: 'value-too-large', sizeBytesMax});
    if (this.#failure !== undefined) throw new AppError(this.#failure);
    if (this.#request.destroyed) throw endedEarly();
    this.#awaiting?.writeContinue();
    return new Promise((resolve, reject) => {
      const request = this.#request;
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      const take = (chunk: Buffer): void => {
        sizeBytes += chunk.length;
        if (sizeBytes <= sizeBytesMax) chunks.push(chunk);
        else settle(() => reject(new AppError({code: 'value-too-large', sizeBytesMax})));
      };
      const finish = (): void =>
        settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
      const abandon = (): void => settle(() => reject(endedEarly()));
      const settle = (outcome: () => void): void => {
        request.off('data', take).off('end', finish).off('close', abandon);
        outcome();
      };
      this.#rejectBody = error => settle(() => reject(error));
      request.on('data', take).on('end', finish).on('close', abandon);
    });
  }
}

function endedEarly(): AppError {
  return new AppError({code: 'malformed-request', problem: 'its body ended early'});
}
