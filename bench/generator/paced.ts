import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {setTimeout} from 'node:timers/promises';
import {takeValues} from './generator.ts';
import {fillTemplate, formatRequest, type RequestTemplate} from './template.ts';

/** Requests at a low rate, over one connection. */
export interface PacedLoad {
  readonly url: string;
  readonly request: RequestTemplate;
  /** Number of the keys. */
  readonly keys: number;
  readonly perSecond: number;
  /** Number of requests that are counted, after the first. */
  readonly count: number;
  /** True to subscribe to events: then a request counts until its event has come. @default {false} */
  readonly awaitsEvent?: boolean;
  /** Called once the connection has had its first answer, which is not counted. @default {nothing} */
  readonly onConnected?: () => void;
}

/**
 * Sends requests at a low rate, from this process, which waits meanwhile.
 *
 * @returns The time of each, in milliseconds.
 * @throws {Error} If a request is not answered with 2xx.
 */
export async function runPaced(load: PacedLoad): Promise<readonly number[]> {
  const {url, request, keys, perSecond, count, awaitsEvent = false, onConnected = () => {}} = load;
  const {host} = new URL(url);
  const connection = await Connection.open(url);
  const events = awaitsEvent ? await Connection.open(url) : undefined;
  try {
    await events?.exchange(formatRequest({method: 'GET', path: '/api/events?prefix=bench/'}, host));
    const value = takeValues();
    const ask = async (sent: number): Promise<number> => {
      const filled = fillTemplate(request, {key: (sent * 7) % keys, value: value + sent});
      const event = events?.next('event: entry-written');
      const sentMs = performance.now();
      await connection.exchange(formatRequest(filled, host));
      await event;
      return performance.now() - sentMs;
    };
    await ask(0);
    onConnected();
    const startMs = performance.now();
    const timesMs: number[] = [];
    for (let sent = 1; sent <= count; sent++) {
      await setTimeout(Math.max(0, startMs + (sent * 1000) / perSecond - performance.now()));
      timesMs.push(await ask(sent));
    }
    return timesMs;
  } finally {
    connection.close();
    events?.close();
  }
}

class Connection {
  readonly #socket: Socket;
  #received = '';
  #onData: () => void = () => {};

  static async open(url: string): Promise<Connection> {
    const {hostname, port} = new URL(url);
    const socket = connect({host: hostname, port: Number(port), noDelay: true});
    await once(socket, 'connect');
    return new Connection(socket);
  }

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      this.#onData();
    });
    // A request that waits is reported as not answered.
    socket.on('error', () => {}).on('close', () => this.#onData());
  }

  /** Sends a request, and waits for its answer; of one without a length, for its head. */
  async exchange(text: string): Promise<void> {
    this.#received = '';
    this.#socket.write(text, 'latin1');
    await this.#until(() => {
      const end = this.#received.indexOf('\r\n\r\n');
      const size = /\r\ncontent-length: *([0-9]+)/i.exec(this.#received.slice(0, Math.max(0, end)))?.[1] ?? 0;
      return end !== -1 && this.#received.length >= end + 4 + Number(size);
    });
    if (!this.#received.startsWith('HTTP/1.1 2')) throw new Error(`Refused: ${this.#received.slice(0, 200)}`);
  }

  /** Waits for a text among what comes from now on. */
  next(text: string): Promise<void> {
    this.#received = '';
    return this.#until(() => this.#received.includes(text));
  }

  close(): void {
    this.#socket.destroy();
  }

  #until(isThere: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onData = () => {
        if (isThere()) resolve();
        else if (this.#socket.destroyed) reject(new Error('The server has closed the connection'));
      };
    });
  }
}
