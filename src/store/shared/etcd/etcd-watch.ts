import type {Timers} from '../../../time/timers.ts';
import {wait} from '../../../time/wait.ts';
import type {EtcdClient} from './etcd-client.ts';
import type {Message} from './etcd-schema.ts';

/** Pause before a watch is opened again, in milliseconds. */
const REOPEN_MS = 200;

/** Time after which a watch is opened again if the client calls another member by then, in milliseconds. */
const CHECK_MS = 1000;

/** The key that is followed, and the end of that. */
export interface WatchOptions {
  readonly key: Buffer;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Gets the pair after a change; undefined if the key was removed, or changes may have been missed. */
  readonly listener: (pair: Message<'KeyValue'> | undefined) => void;
}

/** Follows one key, until the signal is aborted. */
export async function followKey(client: EtcdClient, options: WatchOptions): Promise<void> {
  const {timers, signal} = options;
  while (!signal.aborted) {
    // The next watch catches up.
    await watchOnce(client, options).catch(() => {});
    if (!signal.aborted) await wait(REOPEN_MS, {timers, signals: [signal]});
  }
}

async function watchOnce(client: EtcdClient, {key, timers, signal, listener}: WatchOptions): Promise<void> {
  const {member} = client;
  const stream = await client.openWatch();
  const cancel = (): void => stream.cancel();
  // An error is always followed by the end.
  stream.on('error', () => {});
  if (signal.aborted) return cancel();
  // A member may be stopped, and keep its connections: then the calls have left it.
  const checkMember = (): (() => void) =>
    timers.after(CHECK_MS, () => {
      if (client.member !== member) return cancel();
      stopChecking = checkMember();
    });
  let stopChecking = checkMember();
  signal.addEventListener('abort', cancel);
  try {
    stream.write({createRequest: {key}});
    for await (const response of stream) {
      const {created, canceled, events} = response as Message<'WatchResponse'>;
      const last = events.at(-1)?.kv;
      // A removed key has no value.
      if (created || last !== undefined) listener(last?.value.length ? last : undefined);
      if (canceled) return;
    }
  } finally {
    stopChecking();
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
