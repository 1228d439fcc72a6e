import type {Duplex} from 'node:stream';
import {headerPairs} from '../../protocol/headers/raw-headers.ts';

export interface JoinOptions {
  /** Headers of the answer of the server, which the client gets first. */
  readonly answer: readonly string[];
  /** Bytes of the server that arrived after its answer. */
  readonly first: Uint8Array;
  /** Bytes of the client that arrived after its request. */
  readonly rest: Uint8Array;
  /** Closes both. */
  readonly signal: AbortSignal;
}

/** Answers an upgrade, and passes bytes in both directions, with backpressure, until either side closes. Closes both; never rejects. */
export async function joinStreams(client: Duplex, server: Duplex, options: JoinOptions): Promise<void> {
  const {answer, first, rest, signal} = options;
  client.write(formatUpgrade(answer), 'latin1');
  client.write(first);
  server.write(rest);
  await new Promise<void>(resolve => {
    const end = (): void => resolve();
    for (const each of [client, server]) each.once('close', end).once('error', end);
    signal.addEventListener('abort', end, {once: true});
    if (signal.aborted || client.destroyed || server.destroyed) end();
    client.pipe(server).pipe(client);
  });
  client.destroy();
  server.destroy();
}

/** Headers of the handshake of a WebSocket (RFC 6455 section 4.2.2). */
const HANDSHAKE: ReadonlySet<string> = new Set([
  'sec-websocket-accept',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
]);

function formatUpgrade(rawHeaders: readonly string[]): string {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
  for (const [name, value] of headerPairs(rawHeaders))
    if (HANDSHAKE.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
