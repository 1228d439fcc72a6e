import {once} from 'node:events';
import {connect, type Socket} from 'node:net';

/** One answer as received. */
export interface Answer {
  readonly status: number;
  /** Names in lower case and values, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** True if it is a stream that was left before its end. */
  readonly left: boolean;
}

/** The service sent bytes that are not an HTTP/1.1 answer. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
}

/** No answer within the timeout. */
export class Late extends Error {
  override readonly name = 'Late';
}

/** A stream is left after this long without data, or after this long in all, in milliseconds. */
const STREAM_QUIET_MS = 10;
const STREAM_MS = 200;

/** A connection that sends exactly the given bytes, and parses answers strictly. */
export class Connection implements Disposable {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  /** Received data not yet appended to {@link #received}: joined only when read. */
  #chunks: Buffer[] = [];
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', chunk => {
      this.#chunks.push(chunk);
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    // A reset is one way to end; data received before it counts.
    socket.on('end', end).on('close', end).on('error', end);
  }

  /** @param port Port on 127.0.0.1. @throws {Error} If no process listens there. */
  static async open(port: number): Promise<Connection> {
    const socket = connect({port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true});
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** True if the service ended its side, and no data is left to read. */
  get over(): boolean {
    return this.#ended && this.#view().length === 0;
  }

  /** Sends bytes without waiting for the system to accept them: an answer may come before that. */
  send(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  /** Ends the client's side. */
  end(): void {
    this.#socket.end();
  }

  /** Resets the connection: a normal end would occupy its port for a minute, and ports are limited. */
  [Symbol.dispose](): void {
    this.#socket.resetAndDestroy();
  }

  /** Received data that was not read yet. */
  takeRest(): Buffer {
    const rest = this.#view();
    this.#received = Buffer.alloc(0);
    return rest;
  }

  /**
   * Waits until data is received, the service ends its side, or the time is over. @returns Whether data was received.
   */
  async waitForMore(timeoutMs: number): Promise<boolean> {
    const before = this.#view().length;
    await this.#until(() => this.#view().length > before || this.#ended, timeoutMs).catch(() => {});
    return this.#view().length > before;
  }

  /**
   * Returns the next answer, final or not.
   *
   * @param method Method of the request: answers to HEAD have no body.
   * @returns Undefined if the connection ends, or ended, without an answer.
   * @throws {Late | BrokenAnswer}
   */
  async readAnswer(method: string, timeoutMs: number): Promise<Answer | undefined> {
    const end = await this.#find(bytes => bytes.indexOf('\r\n\r\n'), timeoutMs);
    if (end === undefined) {
      const rest = this.#view();
      if (rest.length === 0) return undefined;
      throw new BrokenAnswer(`It ends in its headers: ${JSON.stringify(rest.toString('latin1').slice(0, 200))}`);
    }
    const head = readHead(this.#take(end + 4).toString('latin1'));
    const {status, headers} = head;
    if (method === 'HEAD' || status < 200 || status === 204 || status === 304)
      return {...head, body: Buffer.alloc(0), left: false};
    const value = (name: string): string | undefined => headers.find(([each]) => each === name)?.[1];
    if (value('content-type') === 'text/event-stream') return {...head, body: await this.#leaveStream(), left: true};
    if (value('transfer-encoding') === 'chunked')
      return {...head, body: await this.#readChunks(timeoutMs), left: false};
    const length = value('content-length');
    // For requests of an older HTTP version the end of the connection ends the body (RFC 9112 section 6.3).
    if (length === undefined && value('connection') === 'close')
      return {...head, body: await this.#readToEnd(timeoutMs), left: false};
    if (length === undefined || !/^[0-9]+$/.test(length)) throw new BrokenAnswer(`Its length is ${length}`);
    if (!(await this.#has(Number(length), timeoutMs))) throw new BrokenAnswer('It ends in its body');
    return {...head, body: this.#take(Number(length)), left: false};
  }

  async #readToEnd(timeoutMs: number): Promise<Buffer> {
    await this.#until(() => this.#ended, timeoutMs);
    return this.takeRest();
  }

  async #readChunks(timeoutMs: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const end = await this.#find(bytes => bytes.indexOf('\r\n'), timeoutMs);
      if (end === undefined) throw new BrokenAnswer('It ends before its last chunk');
      const line = this.#take(end + 2).toString('latin1');
      const size = /^[0-9a-f]+\r\n$/i.test(line) ? Number.parseInt(line, 16) : undefined;
      if (size === undefined) throw new BrokenAnswer(`A chunk begins with ${JSON.stringify(line.slice(0, 40))}`);
      if (!(await this.#has(size + 2, timeoutMs))) throw new BrokenAnswer('It ends in a chunk');
      const chunk = this.#take(size + 2);
      if (chunk.toString('latin1', size) !== '\r\n') throw new BrokenAnswer('A chunk has no end');
      if (size === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, size));
    }
  }

  /** Reads a stream for a short time, in whole chunks. */
  async #leaveStream(): Promise<Buffer> {
    const deadline = performance.now() + STREAM_MS;
    while (performance.now() < deadline && (await this.waitForMore(STREAM_QUIET_MS)));
    const chunks: Buffer[] = [];
    for (;;) {
      const bytes = this.#view();
      const end = bytes.indexOf('\r\n');
      const size = Number.parseInt(bytes.toString('latin1', 0, Math.max(0, end)), 16);
      if (end === -1 || !(size > 0) || bytes.length < end + 2 + size) break;
      chunks.push(bytes.subarray(end + 2, end + 2 + size));
      this.#take(Math.min(bytes.length, end + 2 + size + 2));
    }
    this.takeRest();
    return Buffer.concat(chunks);
  }

  #view(): Buffer {
    if (this.#chunks.length > 0) {
      this.#received = Buffer.concat([this.#received, ...this.#chunks]);
      this.#chunks = [];
    }
    return this.#received;
  }

  #take(count: number): Buffer {
    const bytes = this.#view();
    this.#received = bytes.subarray(count);
    return bytes.subarray(0, count);
  }

  async #find(find: (bytes: Buffer) => number, timeoutMs: number): Promise<number | undefined> {
    await this.#until(() => find(this.#view()) !== -1 || this.#ended, timeoutMs);
    const found = find(this.#view());
    return found === -1 ? undefined : found;
  }

  async #has(count: number, timeoutMs: number): Promise<boolean> {
    const size = (): number => this.#received.length + this.#chunks.reduce((sum, {length}) => sum + length, 0);
    await this.#until(() => size() >= count || this.#ended, timeoutMs);
    return size() >= count;
  }

  async #until(holds: () => boolean, timeoutMs: number): Promise<void> {
    if (holds()) return;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#wake();
    }, timeoutMs);
    while (!holds() && !late)
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    clearTimeout(timer);
    if (!holds()) throw new Late(`No more data within ${timeoutMs} ms`);
  }
}

function readHead(text: string): Pick<Answer, 'status' | 'headers'> {
  const [statusLine = '', ...lines] = text.slice(0, -4).split('\r\n');
  const status = /^HTTP\/1\.1 ([1-5][0-9][0-9]) [\x20-\x7e]*$/.exec(statusLine)?.[1];
  if (status === undefined) throw new BrokenAnswer(`It begins with ${JSON.stringify(statusLine.slice(0, 100))}`);
  const headers = lines.map((line): readonly [string, string] => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new BrokenAnswer(`It has the header ${JSON.stringify(line)}`);
    return [name.toLowerCase(), value];
  });
  return {status: Number(status), headers};
}
