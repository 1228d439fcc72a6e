import {once} from 'node:events';
import {connect, type Socket} from 'node:net';

/** An answer as received. */
export interface RawAnswer {
  readonly status: number;
  /** Values by lower-case name; those of a repeated header joined with ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The body as JSON; an empty object if there is none, or something else. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The whole answer, for checks of what it must not contain. */
  readonly text: string;
}

/** Address of a raw client. */
export interface RawClientOptions {
  readonly port: number;
  /** @default {'127.0.0.1'} */
  readonly host?: string;
}

/** Maximum wait of a client, in milliseconds. */
const DEADLINE_MS = 60_000;

/**
 * A connection that sends exactly the given bytes: other clients correct or refuse the requests that tests of a parser
 * and a guard need.
 */
export class RawClient implements Disposable {
  readonly socket: Socket;
  /** Received data that was not read yet. */
  #chunks: Buffer[] = [];
  #ended = false;
  /** Called on every event of the connection. */
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
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

  /** Connects; a client may continue to send after the server ended its side. */
  static async connect({port, host = '127.0.0.1'}: RawClientOptions): Promise<RawClient> {
    const socket = connect({port, host, allowHalfOpen: true, noDelay: true});
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** True if the server has ended the connection. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Sends bytes; resolves once the system accepted them, or the connection is closed. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise(resolve => this.socket.write(bytes, () => resolve()));
  }

  /**
   * Returns the next answer.
   *
   * @param method Method of the request: answers to HEAD have no body, whatever their headers are.
   * @throws {Error} If the connection ends before.
   */
  async readAnswer(method = 'GET'): Promise<RawAnswer> {
    const head = await this.#take(() => {
      const end = this.#received.indexOf('\r\n\r\n');
      return end === -1 ? undefined : end + 4;
    });
    const [statusLine = '', ...lines] = head.toString('latin1').trimEnd().split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1]);
    const headers = readHeaders(lines);
    const bodyless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
    const sizeBytes = bodyless ? 0 : Number(headers.get('content-length'));
    const body = await this.#take(() => (this.#received.length >= sizeBytes ? sizeBytes : undefined));
    return {
      status,
      headers,
      body,
      json: body.length > 0 && headers.get('content-type')?.includes('json') ? JSON.parse(body.toString()) : {},
      text: `${head.toString('latin1')}${body.toString()}`,
    };
  }

  /** Returns everything up to and including a text or some bytes. @throws {Error} If the connection ends before. */
  async readUntil(wanted: string | Uint8Array): Promise<string> {
    const bytes = Buffer.from(wanted);
    const taken = await this.#take(() => {
      const start = this.#received.indexOf(bytes);
      return start === -1 ? undefined : start + bytes.length;
    });
    return taken.toString();
  }

  /** Waits until the server ends the connection. @returns The received data that was not read as an answer. */
  async readEnd(): Promise<Buffer> {
    await this.#until(() => this.#ended);
    return this.#received;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  /** Data that was not read yet. Joined only when read: it may arrive in many chunks. */
  get #received(): Buffer {
    const [first, ...others] = this.#chunks;
    if (first !== undefined && others.length === 0) return first;
    const received = Buffer.concat(this.#chunks);
    this.#chunks = [received];
    return received;
  }

  async #take(findEnd: () => number | undefined): Promise<Buffer> {
    await this.#until(() => findEnd() !== undefined || this.#ended);
    const end = findEnd();
    if (end === undefined) throw new Error(`The connection ended after ${JSON.stringify(this.#received.toString())}`);
    const taken = this.#received.subarray(0, end);
    this.#chunks = [this.#received.subarray(end)];
    return taken;
  }

  async #until(holds: () => boolean): Promise<void> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#wake();
    }, DEADLINE_MS);
    while (!holds() && !late) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    clearTimeout(timer);
    if (!holds()) throw new Error(`No more data within ${DEADLINE_MS} ms`);
  }
}

/** Sends the bytes of one request on a connection of its own and reads the answer. */
export async function exchange(options: RawClientOptions, bytes: string | Uint8Array): Promise<RawAnswer> {
  const client = await RawClient.connect(options);
  try {
    // Not awaited: an answer may arrive, and the connection may end, before everything is sent.
    void client.send(bytes);
    return await client.readAnswer(methodOf(bytes));
  } finally {
    client[Symbol.dispose]();
  }
}

/**
 * Creates a function that exchanges like {@link exchange}, on one connection for as long as the server keeps it: for hundreds of requests, since the
 * service judges each new connection by the list of all sockets of the machine. Calls must not overlap.
 */
export function keepConnection(server: () => RawClientOptions): (bytes: string | Uint8Array) => Promise<RawAnswer> {
  let client: RawClient | undefined;
  return async bytes => {
    client = client === undefined || client.ended ? await RawClient.connect(server()) : client;
    const {socket} = client;
    void client.send(bytes);
    const answer = await client.readAnswer(methodOf(bytes));
    if (answer.status === 101 || answer.headers.get('connection') === 'close') {
      client = undefined;
      socket.destroy();
    }
    return answer;
  };
}

/** Returns the method of a request, on which the length of its answer depends. */
function methodOf(bytes: string | Uint8Array): string {
  return /^\w*/.exec(Buffer.from(bytes.slice(0, 16)).toString('latin1'))?.[0] ?? '';
}

/** Formats a request: a request line, headers as given (without a default Host), and a body with its length. */
export function formatRequest(line: string, headers: readonly string[], body?: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body ?? '');
  const all = body === undefined ? headers : [...headers, `Content-Length: ${bytes.length}`];
  return Buffer.concat([Buffer.from(`${[`${line} HTTP/1.1`, ...all].join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  return headers;
}
