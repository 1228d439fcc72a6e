import {setImmediate} from 'node:timers/promises';

/** Waits for the next tick of the event loop, so that other work is done meanwhile. */
export const nextTick: () => Promise<void> = setImmediate;
