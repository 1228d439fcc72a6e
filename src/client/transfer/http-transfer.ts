import {assertNames, EXPORT_NAMES, IMPORT_NAMES} from '../../core/domain/commits/option-names.ts';
import type {Export, ExportOptions, Imported, ImportOptions, Transfer} from '../../core/domain/commits/transfer.ts';
import {readImported} from '../../core/protocol/service-documents.ts';
import {readExportEnd, readExportStart} from '../../core/protocol/transfer/export-ends.ts';
import {untilAborted} from '../../core/time/until-aborted.ts';
import {parseAnswer, receiveAnswer, unexpectedAnswer} from '../answer.ts';
import {PAGE_ORIGIN} from '../network/network.ts';
import {type ClientOptions, openTransport} from '../options.ts';
import {formatQuery} from '../query.ts';
import type {LinkedSignal} from '../signals.ts';
import type {CallOptions, Transport} from '../transport.ts';

/** Exports and imports of a running service. Only the start of an answer is subject to the timeout of the client. */
export interface ClientTransfer extends Transfer {
  /**
   * Begins an export: see {@link Transfer.export}.
   *
   * @throws {AppError} Also what every call throws; `unexpected-answer`, also from the iteration, if the connection is lost.
   */
  export(options?: {readonly prefix?: string | undefined} & Pick<CallOptions, 'signal'>): Promise<Export>;

  /**
   * Imports an export: see {@link Transfer.import}. In a web page, all chunks are read before they are sent: browsers do not
   * stream request bodies over HTTP/1.1.
   */
  import(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options?: ImportOptions & Pick<CallOptions, 'signal'>,
  ): Promise<Imported>;
}

/**
 * Creates a client for exports and imports. Sends nothing before the first call.
 *
 * @example
 * ```ts
 * import {createClient} from 'crewroom/client';
 * import {createTransfer} from 'crewroom/client/transfer';
 *
 * await createClient().entries.put('com.example.hello/settings', {volume: 0.5});
 * const from = createTransfer();
 * const to = createTransfer({baseUrl: 'http://localhost:8000'});
 * const {entries} = await to.import(await from.export({prefix: 'com.example.hello/settings'}));
 * console.log(entries, 'entry copied'); // 1 entry copied
 * ```
 */
export function createTransfer(options: ClientOptions = {}): ClientTransfer {
  return new HttpTransfer(openTransport(options));
}

class HttpTransfer implements ClientTransfer {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async export(options: ExportOptions & Pick<CallOptions, 'signal'> = {}): Promise<Export> {
    assertNames(options, EXPORT_NAMES, ['signal']);
    const {prefix, signal} = options;
    const path = `/api/export${formatQuery({prefix})}`;
    const ended = this.#transport.link(signal);
    this.#transport.limit(ended, path);
    try {
      const response = await this.#transport.open(path, {signal: ended.signal});
      const opened = new IncomingExport(response, {url: this.#transport.options.baseUrl + path, ended});
      await opened.begin();
      ended.cancelAbort();
      return opened;
    } catch (error) {
      ended.unlink();
      throw error;
    }
  }

  async import(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options: ImportOptions & Pick<CallOptions, 'signal'> = {},
  ): Promise<Imported> {
    assertNames(options, IMPORT_NAMES, ['signal']);
    const {mode = 'merge', keepAfter, dryRun = false, signal} = options;
    const path = `/api/import${formatQuery({mode, keepAfter: keepAfter === undefined ? undefined : this.#transport.store.format(keepAfter), dryRun})}`;
    const ended = this.#transport.link(signal);
    const source = new ChunkSource(chunks);
    try {
      const {baseUrl} = this.#transport.options;
      const body = PAGE_ORIGIN === undefined ? source.stream() : await source.readAll();
      const headers = {'Content-Type': 'application/x-ndjson'};
      const sending = {method: 'POST', headers, body, duplex: 'half', signal: ended.signal} as const;
      const response = await this.#transport.open(path, sending);
      const answer = await untilAborted(receiveAnswer(response, baseUrl + path), ended.signal);
      return parseAnswer(answer, readImported);
    } catch (error) {
      ended.signal.throwIfAborted();
      throw source.failure === undefined ? error : source.failure.error;
    } finally {
      ended.unlink();
      // The service may answer before it has received everything: stop sending.
      ended.abort(undefined);
    }
  }
}

/** Chunks to send. Keeps the error that their iteration throws, since `fetch` would wrap or replace it. */
class ChunkSource {
  readonly #iterator: AsyncIterator<Uint8Array>;
  failure: {readonly error: unknown} | undefined;

  constructor(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#iterator = iterate(chunks);
  }

  /** Reads each chunk only when the connection takes it. */
  stream(): ReadableStream<Uint8Array> {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const {done, value} = await this.#next();
      if (done) controller.close();
      else controller.enqueue(value);
    };
    const cancel = async (): Promise<void> => void (await this.#iterator.return?.());
    return new ReadableStream({pull, cancel}, {highWaterMark: 0});
  }

  async readAll(): Promise<Blob> {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let read = await this.#next(); !read.done; read = await this.#next()) parts.push(read.value.slice());
    return new Blob(parts);
  }

  async #next(): Promise<IteratorResult<Uint8Array, unknown>> {
    try {
      return await this.#iterator.next();
    } catch (error) {
      this.failure = {error};
      throw error;
    }
  }
}

async function* iterate(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
}

/** Size of the end of an export that is kept to find its trailer, in bytes: more than a trailer has. */
const TAIL_BYTES_MAX = 100;

/** Largest header of an export, in bytes: its prefix has at most 512 bytes, each of which may be escaped. */
const HEADER_BYTES_MAX = 8 * 1024;

class IncomingExport implements Export {
  readonly #source: {readonly url: string; readonly status: number};
  readonly #ended: LinkedSignal;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** Bytes that were read to find the header. */
  #first: Uint8Array | undefined;
  #tail = '';
  #revision = 0;

  constructor(response: Response, {url, ended}: {readonly url: string; readonly ended: LinkedSignal}) {
    this.#source = {url, status: response.status};
    this.#ended = ended;
    this.#reader = response.body?.getReader();
  }

  get revision(): number {
    return this.#revision;
  }

  /** Reads the header. @throws {AppError} `unexpected-answer`. */
  async begin(): Promise<void> {
    let text = '';
    const parts: Uint8Array<ArrayBuffer>[] = [];
    while (!text.includes('\n') && text.length < HEADER_BYTES_MAX) {
      const chunk = await this.#read();
      if (chunk === undefined) break;
      parts.push(chunk.slice());
      text += new TextDecoder().decode(chunk);
    }
    const revision = readExportStart(text);
    if (revision === undefined) throw unexpectedAnswer(this.#source, 'it is not an export');
    this.#revision = revision;
    this.#first = new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.#first ?? (await this.#read());
    this.#first = undefined;
    if (chunk === undefined) return this.#end();
    this.#tail = (this.#tail + new TextDecoder('latin1').decode(chunk.subarray(-TAIL_BYTES_MAX))).slice(
      -TAIL_BYTES_MAX,
    );
    return {done: false, value: chunk};
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#ended.unlink();
    // The connection ends with it, even if the signal of the request was collected as garbage.
    void this.#reader?.cancel().catch(() => {});
    return {done: true, value: undefined};
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #end(): Promise<IteratorReturnResult<undefined>> {
    await this.return();
    if (readExportEnd(this.#tail) === undefined) throw this.#cutOff();
    return {done: true, value: undefined};
  }

  async #read(): Promise<Uint8Array | undefined> {
    const {signal} = this.#ended;
    try {
      const read = this.#reader === undefined ? undefined : await untilAborted(this.#reader.read(), signal);
      return read?.value;
    } catch (error) {
      await this.return();
      signal.throwIfAborted();
      throw this.#cutOff(error);
    }
  }

  #cutOff(cause?: unknown): Error {
    return unexpectedAnswer(this.#source, 'it was cut off before its end', {cause});
  }
}
