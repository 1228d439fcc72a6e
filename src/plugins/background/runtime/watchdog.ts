import {once} from 'node:events';
import {Worker} from 'node:worker_threads';

/** Heap of the watchdog, in MiB: it holds a socket and a timer. */
const HEAP_MIB = 16;

/**
 * Starts a thread that ends the process with the service, also while the main thread never returns, and that reports the memory
 * of the process.
 */
export async function startWatchdog(): Promise<void> {
  const worker = new Worker(new URL('watchdog-thread.js', import.meta.url), {
    // Without the flags and the environment of the process, which are meant for the plugin.
    env: {},
    execArgv: [],
    resourceLimits: {maxOldGenerationSizeMb: HEAP_MIB},
  });
  await once(worker, 'message');
  worker.unref();
}
