import {once} from 'node:events';
import {connect, type Socket} from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Values by lower-case name; those of a repeated one joined with ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The body as JSON; an empty object where there is none, or something else. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Everything, for a look at what must not be in it. */
  readonly text: string;
}

/** Where a raw client connects to. */
export interface RawClientOptions {
  readonly port: number;
  /** @default {'127.0.0.1'} */
  readonly host?: string;
}

/** How long a client waits for what never comes, in milliseconds. */
const DEADLINE_MS = 60_000;

/**
 * A connection that sends exactly the bytes it is given: other clients mend or refuse the requests that
 * tests of a parser and a guard are about.
 */
export class RawClient implements Disposable {
  readonly socket: Socket;
  /** What was not read yet, as it came. */
  #chunks: Buffer[] = [];
  #ended = false;
  /** Woken whenever something happens on the connection. */
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
    // A reset is one way to end; what was received before is what counts.
    socket.on('end', end).on('close', end).on('error', end);
  }

  /** Connects; a client may go on sending after the server ended its side. */
  static async connect({port, host = '127.0.0.1'}: RawClientOptions): Promise<RawClient> {
    const socket = connect({port, host, allowHalfOpen: true, noDelay: true});
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Whether the server has ended the connection. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Sends bytes; resolved once the system took them, or the connection is gone. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise(resolve => this.socket.write(bytes, () => resolve()));
  }

  /**
   * The next answer.
   *
   * @param method Of the request that it answers: HEAD has no body, whatever its headers say.
   * @throws {Error} When the connection ends before.
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

  /** Everything up to a text or some bytes, and those. @throws {Error} When the connection ends before. */
  async readUntil(wanted: string | Uint8Array): Promise<string> {
    const bytes = Buffer.from(wanted);
    const taken = await this.#take(() => {
      const start = this.#received.indexOf(bytes);
      return start === -1 ? undefined : start + bytes.length;
    });
    return taken.toString();
  }

  /** Waits until the server ends the connection. @returns What it sent that was not read as an answer. */
  async readEnd(): Promise<Buffer> {
    await this.#until(() => this.#ended);
    return this.#received;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  /** What was not read yet. Only joined when somebody looks: much may come, in many pieces. */
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
    if (!holds()) throw new Error(`Nothing more came in ${DEADLINE_MS} ms`);
  }
}

/** Sends the bytes of one request on a connection of its own and reads the answer. */
export async function exchange(
  options: RawClientOptions & {readonly method?: string},
  bytes: string | Uint8Array,
): Promise<RawAnswer> {
  const client = await RawClient.connect(options);
  try {
    // Not awaited: an answer may come, and end the connection, before everything is sent.
    void client.send(bytes);
    return await client.readAnswer(options.method);
  } finally {
    client[Symbol.dispose]();
  }
}

/**
 * The text of a request: a request line, headers as they stand (a Host only where one is given), and a
 * body with its length.
 */
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
