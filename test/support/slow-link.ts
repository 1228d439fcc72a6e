import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';

/** A link with a bandwidth and a delay to an address, which all connections through it share. */
export interface SlowLink extends AsyncDisposable {
  /** Host and port of this end. */
  readonly address: string;
}

export interface SlowLinkOptions {
  /** Bytes in a millisecond, in each direction. */
  readonly bytesPerMs: number;
  /** Time from one end to the other, in milliseconds. */
  readonly delayMs: number;
}

/** Opens a link to a host and port. */
export async function openSlowLink(target: string, options: SlowLinkOptions): Promise<SlowLink> {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  const lanes = [new Lane(options), new Lane(options)] as const;
  const server = createServer(near => {
    const far = connect({host, port: Number(port)});
    for (const [from, to, lane] of [
      [near, far, lanes[0]],
      [far, near, lanes[1]],
    ] as const) {
      sockets.add(from);
      // The link has all of the delay: none of its own for small chunks.
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk: Buffer) => {
        from.pause();
        void lane.carry(chunk, to).then(() => from.resume());
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One direction: chunks take their time one after the other, and arrive after the delay, in their order. */
class Lane {
  readonly #options: SlowLinkOptions;
  #freeAtMs = 0;
  #arrived: Promise<unknown> = Promise.resolve();

  constructor(options: SlowLinkOptions) {
    this.#options = options;
  }

  /** Resolves once the chunk has left this end. */
  async carry(chunk: Buffer, to: Socket): Promise<void> {
    const {bytesPerMs, delayMs} = this.#options;
    const nowMs = performance.now();
    this.#freeAtMs = Math.max(nowMs, this.#freeAtMs) + chunk.length / bytesPerMs;
    const arrivesAtMs = this.#freeAtMs + delayMs;
    // Timers of different lengths that end in the same millisecond do not keep their order.
    this.#arrived = this.#arrived.then(() => waitUntil(arrivesAtMs)).then(() => to.destroyed || to.write(chunk));
    await waitUntil(this.#freeAtMs);
  }
}

async function waitUntil(atMs: number): Promise<void> {
  const leftMs = atMs - performance.now();
  if (leftMs > 0) await delay(leftMs);
}
