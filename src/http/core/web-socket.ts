import type {Duplex} from 'node:stream';
import type {HttpRequest, HttpStream, WholeAnswer} from './message.ts';

/** Opens WebSockets. */
export interface WebSocketHandler {
  /** Opens the WebSocket that a request asks for; never rejects. */
  open(request: HttpRequest): Promise<WebSocketOutcome>;
}

/**
 * Passes the bytes of a WebSocket on to another server, which has accepted it: answers the upgrade, and resolves when either side
 * has closed. Never rejects. To be called once for each WebSocket, even if its client has disconnected.
 *
 * @param rest Bytes of the client that arrived after its request.
 */
export type Tunnel = (client: Duplex, rest: Uint8Array, signal: AbortSignal) => Promise<void>;

/** Frames of an opened WebSocket, the way to another server, or the answer to a refused request. */
export type WebSocketOutcome =
  | {readonly kind: 'opened'; readonly frames: HttpStream}
  | {readonly kind: 'tunnelled'; readonly tunnel: Tunnel}
  | {readonly kind: 'refused'; readonly answer: WholeAnswer};
