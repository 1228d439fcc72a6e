import {Worker} from 'node:worker_threads';
import {killGroup} from './kill-group.ts';
import {WATCHDOG_THREAD} from './program/places.ts';

/** Heap of the watchdog, in MiB: it holds a socket and a timer. */
const HEAP_MIB = 16;

/**
 * Starts a thread that ends the process with the service, also while the main thread never returns, and that reports the memory
 * of the process. Does not wait for the thread, which needs nothing of the main thread to start. If the service ends meanwhile, the
 * thread finds its pipe closed.
 */
export function startWatchdog(): void {
  const worker = new Worker(WATCHDOG_THREAD, {
    // Without the flags and the environment of the process, which are meant for the plugin.
    env: {},
    execArgv: [],
    resourceLimits: {maxOldGenerationSizeMb: HEAP_MIB},
  });
  // Without it, the process could outlive the service.
  worker.once('error', killGroup);
  worker.unref();
}
