import {once} from 'node:events';
import {WebSocket} from 'ws';

/** A connection to a browser that speaks WebDriver BiDi (W3C). */
export interface Bidi {
  /** Sends a command and waits for its result. @throws {Error} With the message of the browser if it fails. */
  send(method: string, params: object): Promise<Readonly<Record<string, unknown>>>;
  close(): void;
}

interface Waiting {
  readonly resolve: (result: Readonly<Record<string, unknown>>) => void;
  readonly reject: (error: Error) => void;
}

/** Connects to the session address of a browser. */
export async function connectBidi(url: string): Promise<Bidi> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  socket.on('message', data => {
    const {id, result, error, message} = JSON.parse(String(data));
    // Events have no id.
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(`${error}: ${message}`));
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    for (const {reject} of waiting.values()) reject(new Error('The connection to the browser is closed'));
  });
  return {
    send: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, {resolve, reject});
        socket.send(JSON.stringify({id, method, params}));
      }),
    close: () => socket.close(),
  };
}
