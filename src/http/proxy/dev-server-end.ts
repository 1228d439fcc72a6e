import {connect} from 'node:net';
import {createLoopbackLookup} from '../../system/loopback-address.ts';
import {wait} from '../../time/wait.ts';

/** Pause between two connections, in milliseconds: servers close those without a request after a minute, and a restart takes less. */
const PAUSE_MS = 200;

/** Waits until nothing listens at an address of this machine, by an idle connection that closes with its server; or until the signal is aborted. Never rejects. */
export async function untilServerEnds({hostname, port}: URL, signal: AbortSignal): Promise<void> {
  for (;;) {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 80),
      lookup: createLoopbackLookup(),
      signal,
    });
    const wasConnected = await new Promise<boolean>(resolve => {
      let isConnected = false;
      socket
        .once('connect', () => {
          isConnected = true;
        })
        .once('close', () => resolve(isConnected))
        .on('error', () => {})
        .resume()
        .unref();
    });
    if (!wasConnected || signal.aborted) return;
    await wait(PAUSE_MS, {signals: [signal]});
  }
}
